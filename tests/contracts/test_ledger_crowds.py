"""Many at once on one account: exactly as many are admitted as the cap covers, and nobody sees an error."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from threading import Barrier, Thread

import pytest

from eremite import BudgetRefused, Privacy
from eremite.ledger import Ledger, MemoryStore, Reserved, open_ledger
from eremite.ledger.transitions import MOST_REFUSALS
from tests.contracts.ledger_client import crowd
from tests.contracts.ledger_places import ALICE, opened, place, pure

ROOT = Path(__file__).parents[2]


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    postgres = request.getfixturevalue("postgres") if request.param == "postgres" else None
    return place(request.param, tmp_path, postgres)


def require_exactly_a_hundred(ledger: Ledger, admitted: int) -> None:
    assert admitted == 100
    assert ledger.remaining(ALICE).privacy == Privacy(Fraction(0))
    assert len(ledger.history()) == 1 + 100 + MOST_REFUSALS  # 900 were refused
    assert ledger.verify().sound


def test_64_threads_get_exactly_what_the_cap_covers(where):
    ledger = opened(where, 1)
    require_exactly_a_hundred(ledger, crowd(ledger, "r", 1000, 64))


def test_64_threads_in_memory_get_exactly_what_the_cap_covers():
    ledger = Ledger(MemoryStore())
    ledger.open_dataset("patients", Privacy(Fraction(1)))
    require_exactly_a_hundred(ledger, crowd(ledger, "r", 1000, 64))


def test_16_processes_get_exactly_what_the_cap_covers(where):
    ledger = opened(where, 1)
    shares = [63] * 8 + [62] * 8
    clients = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.contracts.ledger_client", where, f"process{i}", str(share), "4"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for i, share in enumerate(shares)
    ]
    with ThreadPoolExecutor(len(clients)) as pool:
        told = list(pool.map(lambda client: client.communicate("go\n", timeout=600), clients))
    assert [errors for _, errors in told] == [""] * len(clients)
    require_exactly_a_hundred(ledger, sum(int(output) for output, _ in told))


def test_many_may_be_the_first(where):
    """Eight connections make the tables at once."""
    barrier = Barrier(8)

    def start(_: int) -> None:
        barrier.wait()
        opened(where, 1).close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(start, range(8)))
    assert len(open_ledger(where).history()) == 1


def test_same_id_asked_for_by_many_is_charged_once(where):
    ledger, barrier = opened(where, 1), Barrier(16)

    def ask(_: int) -> bool:
        barrier.wait()
        try:
            return isinstance(ledger.reserve(ALICE, "r", "f", pure("0.1"), {"query": "count"}), Reserved)
        except BudgetRefused:
            return False

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(ask, range(16))) == 1
    assert ledger.remaining(ALICE).privacy.epsilon == Fraction("0.9")


def test_forked_process_shares_the_budget_and_not_the_connection(where):
    """While other threads are in the middle of their requests."""
    ledger = opened(where, 10_000)  # more than anybody can ask for meanwhile
    stop: list[int] = []

    def busy() -> None:
        while not stop:
            ledger.reserve(
                ALICE, f"busy{len(ledger.history())}-{os.urandom(8).hex()}", "f", pure("0.001"), {"query": "count"}
            )

    threads = [Thread(target=busy) for _ in range(2)]
    for thread in threads:
        thread.start()
    children = []
    for i in range(10):
        child = os.fork()
        if child == 0:
            try:
                ledger.reserve(ALICE, f"child{i}", "f", pure("0.1"), {"query": "count"})
                ledger.close()
            except BaseException:
                os._exit(1)
            os._exit(0)
        children.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    stop.append(1)
    for thread in threads:
        thread.join()
    assert codes == [0] * 10
    ids = {getattr(entry.event, "request_id", "") for entry in ledger.history()}
    assert {f"child{i}" for i in range(10)} <= ids
    assert ledger.verify().sound
