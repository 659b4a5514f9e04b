"""Reads that find what they look for without reading all, the same in every store; and refusals that are bounded."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import pytest

from eremite import BudgetRefused, InputError, Privacy
from eremite.ledger import (
    Account,
    Ledger,
    LedgerError,
    MemoryStore,
    Refused,
    Reserved,
    RowsReplaced,
    open_ledger,
)
from eremite.ledger import (
    ledger as ledger_module,
)
from eremite.ledger.to_json import line_to_json
from eremite.ledger.transitions import MOST_REFUSALS
from tests.contracts.ledger_places import ALICE, BOB, execute, opened, place, pure

PAID = Reserved(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
ASKED = {"query": "count"}


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    postgres = request.getfixturevalue("postgres") if request.param == "postgres" else None
    return place(request.param, tmp_path, postgres)


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ledger]:
    """Empty, but for the dataset under epsilon 1."""
    if request.param == "memory":
        ledger = Ledger(MemoryStore())
        ledger.open_dataset("patients", Privacy(Fraction(1)))
    else:
        postgres = request.getfixturevalue("postgres") if request.param == "postgres" else None
        ledger = opened(place(request.param, tmp_path, postgres), 1)
    yield ledger
    ledger.close()


def release(ledger: Ledger, account: Account, name: str) -> None:
    ledger.reserve(account, name, "f", pure("0.01"), ASKED)
    ledger.store(account, name, name, PAID)


def refused(ledger: Ledger, times: int, account: Account = ALICE) -> None:
    for i in range(times):
        with pytest.raises(BudgetRefused, match="left; this release needs 5"):
            ledger.reserve(account, f"too much {i}", "f", pure(5), ASKED)


def refusals(ledger: Ledger, account: Account = ALICE) -> int:
    return sum(isinstance(entry.event, Refused) for entry in ledger.history(account.dataset, account.analyst))


def test_releases_are_paged_newest_first(ledger):
    for i in range(5):
        release(ledger, ALICE, f"hers {i}")
        release(ledger, BOB, f"his {i}")
    first = ledger.releases(ALICE, limit=2)
    second = ledger.releases(ALICE, limit=2, before=first[-1].seq)
    rest = ledger.releases(ALICE, before=second[-1].seq)
    assert [entry.event.release for entry in (*first, *second, *rest)] == [f"hers {i}" for i in (4, 3, 2, 1, 0)]
    assert ledger.releases(ALICE, before=rest[-1].seq) == ledger.releases(ALICE, limit=0) == []
    assert ledger.releases(Account("clients", "alice")) == []


def test_history_is_paged_in_order(ledger, monkeypatch):
    monkeypatch.setattr(ledger_module, "_AT_ONCE", 3)
    ledger.open_dataset("clients", Privacy(Fraction(1)))
    for i in range(4):
        release(ledger, ALICE, f"hers {i}")
        release(ledger, Account("clients", "alice"), f"of clients {i}")
    every = ledger.history()
    assert [entry.seq for entry in every] == list(range(1, 19))
    assert list(ledger.entries()) == every
    for dataset, analyst in (("patients", None), ("patients", "alice"), (None, "alice"), ("patients", "bob")):
        wanted = [
            entry
            for entry in every
            if dataset in (None, entry.event.dataset) and analyst in (None, getattr(entry.event, "analyst", None))
        ]
        assert ledger.history(dataset, analyst) == wanted
        assert ledger.history(dataset, analyst, limit=3) == wanted[-3:]
        assert ledger.history(dataset, analyst, before=9) == [entry for entry in wanted if entry.seq < 9]
        assert ledger.history(dataset, analyst, before=9, limit=2) == [e for e in wanted if e.seq < 9][-2:]
    with pytest.raises(InputError, match="limit must be 0 or more"):
        ledger.history(limit=-1)


def test_looking_waits_for_nobody_who_writes(where):
    """What became of a request is read, and takes no lock."""
    ledger, other = opened(where, 1), open_ledger(where)
    release(ledger, ALICE, "r")

    def look(page: object) -> tuple[None, object]:
        return None, other.became_of(ALICE, "r")

    assert ledger._store.change(ALICE, None, look) == other.became_of(ALICE, "r")


def test_rows_that_were_replaced_are_told_and_change_no_budget(ledger):
    release(ledger, ALICE, "r")
    before = ledger.budgets("patients"), ledger.timeline("patients")
    ledger.note_rows_replaced("patients")
    assert (ledger.budgets("patients"), ledger.timeline("patients")) == before
    entry = ledger.history("patients")[-1]
    assert entry.event == RowsReplaced(dataset="patients")
    assert line_to_json(entry)["event"] == "rows replaced"
    assert line_to_json(entry)["what"] == "other rows from here on; what was spent stays spent"
    assert ledger.verify().sound
    with pytest.raises(InputError, match="Dataset 'nowhere' is not in this ledger"):
        ledger.note_rows_replaced("nowhere")


def test_refusals_are_recorded_up_to_a_number(ledger):
    refused(ledger, MOST_REFUSALS + 3)
    assert refusals(ledger) == MOST_REFUSALS
    with pytest.raises(BudgetRefused):
        ledger.foresee(ALICE, "more", "f", pure(5), ASKED)
    refused(ledger, 1, BOB)  # everybody has a number of their own
    assert (refusals(ledger), refusals(ledger, BOB)) == (MOST_REFUSALS, 1)
    assert ledger.verify().sound


@pytest.mark.parametrize("what", ["charge", "cap"])
def test_charge_and_cap_make_room_for_refusals(ledger, what):
    refused(ledger, MOST_REFUSALS + 1)
    if what == "charge":
        ledger.reserve(ALICE, "r", "f", pure("0.1"), ASKED)
    else:
        ledger.set_cap("patients", "alice", Privacy(Fraction(1)), reason="all of it")
    refused(ledger, 2)
    assert refusals(ledger) == MOST_REFUSALS + 2
    assert ledger.verify().sound


def test_charged_id_without_a_release_is_refused_no_more_often(ledger):
    ledger.reserve(ALICE, "r", "f", pure("0.1"), ASKED)
    for _ in range(MOST_REFUSALS + 2):
        with pytest.raises(BudgetRefused, match="has no release"):
            ledger.reserve(ALICE, "r", "f", pure("0.1"), ASKED)
    assert refusals(ledger) == MOST_REFUSALS


def test_crowd_that_is_refused_writes_no_more_than_one(where):
    ledgers = [opened(where, 1), open_ledger(where)]

    def ask(i: int) -> None:
        with suppress(BudgetRefused):
            ledgers[i % 2].reserve(ALICE, f"r{i}", "f", pure(5), ASKED)

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(ask, range(3 * MOST_REFUSALS)))
    assert refusals(ledgers[0]) == MOST_REFUSALS
    assert ledgers[0].verify().sound


def test_account_that_was_only_refused_has_no_budget_of_its_own(ledger):
    refused(ledger, 1)
    assert [name for name, _ in ledger.budgets("patients")] == [None]
    assert ledger.budgets("nowhere") == []


TAMPERING = {
    "another account": ("UPDATE eremite_events SET analyst = 'bob' WHERE seq = 3", "Event 3 is filed under another"),
    "another dataset": ("UPDATE eremite_events SET dataset = 'clients' WHERE seq = 3", "Event 3 is filed under"),
    "fewer refusals": ("UPDATE eremite_standings SET refusals = 0", "sums kept for account 'alice'"),
}


@pytest.mark.parametrize("what", TAMPERING)
def test_verify_finds_what_was_filed_elsewhere(where, what):
    statement, words = TAMPERING[what]
    ledger = opened(where, 1)
    release(ledger, ALICE, "r")
    refused(ledger, 1)
    execute(where, statement)
    assert any(words in found for found in ledger.verify().findings)


def test_release_that_was_filed_elsewhere_is_shown_to_nobody(where):
    ledger = opened(where, 1)
    release(ledger, ALICE, "r")
    execute(where, "UPDATE eremite_events SET analyst = 'bob' WHERE kind = 'released'")
    with pytest.raises(LedgerError, match="Event 3 of the ledger is filed under another dataset or account"):
        ledger.releases(BOB)
    assert ledger.releases(ALICE) == []


@pytest.mark.parametrize(
    ("slice_", "index"),
    [
        ({"dataset": "patients"}, "eremite_of_dataset"),
        ({"dataset": "patients", "analyst": "alice"}, "eremite_of_account"),
        ({"dataset": "patients", "analyst": "alice", "releases": True}, "eremite_releases"),
    ],
)
def test_every_read_of_a_file_uses_its_index(tmp_path, slice_, index):
    from eremite.ledger import sql
    from eremite.ledger.store import Slice

    statement, values = sql.slice_of(Slice(**slice_, before=9, newest_first=True, limit=5))
    with opened(str(tmp_path / "patients.db"), 1)._store._connection.use() as file:
        plan = " ".join(row[-1] for row in file.execute(f"EXPLAIN QUERY PLAN {statement}", values).fetchall())
    assert index in plan
    assert "TEMP B-TREE" not in plan
