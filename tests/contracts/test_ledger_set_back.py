"""A ledger that is set back in place, by a restored backup, while somebody uses it: nothing is charged or released."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest

from eremite import OutlierDefinition, Session, Table
from eremite.errors import LedgerError
from eremite.ledger import Ledger, open_ledger
from eremite.ledger.chain import Head
from eremite.ledger.events import Charged
from eremite.ledger.remembered import Remembered, set_back
from tests.contracts.ledger_copies import TABLES, backed_up
from tests.contracts.ledger_places import ALICE, BOB, execute, opened, place, pure

SET_BACK = (
    r"was set back while it was in use: events that were seen in it are gone\. Nothing was charged or released\. "
    r"Put its newest copy back"
)


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: Any, tmp_path: Path) -> str:
    postgres = request.getfixturevalue("postgres") if request.param == "postgres" else None
    return place(request.param, tmp_path, postgres)


def ask(ledger: Ledger, name: str, epsilon: object = 1) -> None:
    ledger.reserve(ALICE, name, "f", pure(epsilon), {"query": "count"})


def charges(where: str) -> list[str]:
    return [entry.event.request_id for entry in open_ledger(where).history() if isinstance(entry.event, Charged)]


def spent_and_set_back(where: str) -> Ledger:
    """One that has seen three charges, of which the ledger has forgotten two."""
    ledger = opened(where, 3)
    ask(ledger, "first")
    put_back = backed_up(where)
    ask(ledger, "second")
    ask(ledger, "third")
    put_back()
    return ledger


def test_running_ledger_that_was_set_back_charges_nothing(where):
    ledger = spent_and_set_back(where)
    for name in ("fourth", "fifth"):
        with pytest.raises(LedgerError, match=SET_BACK):
            ask(ledger, name)
    assert charges(where) == ["first"]
    with pytest.raises(LedgerError, match=SET_BACK):
        ledger.remaining(ALICE)


def test_ledger_that_was_set_back_and_went_on_otherwise_charges_nothing(where):
    """It is as long as before: only the hash at the number that was seen tells."""
    ledger = spent_and_set_back(where)
    other = open_ledger(where)
    ask(other, "another second", "0.1")
    ask(other, "another third", "0.1")
    with pytest.raises(LedgerError, match=SET_BACK):
        ask(ledger, "fourth", "0.1")
    ask(other, "another fourth", "0.1")
    assert charges(where) == ["first", "another second", "another third", "another fourth"]


def test_everybody_in_a_batch_is_refused(where):
    ledger = spent_and_set_back(where)

    def refused(number: int) -> bool:
        with pytest.raises(LedgerError, match=SET_BACK):
            ask(ledger, f"crowd {number}", "0.1")
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(refused, range(24)))
    assert charges(where) == ["first"]


def test_answer_that_was_computed_is_not_stored_in_a_ledger_that_forgot_its_charge(where):
    ledger = opened(where, 3)
    put_back = backed_up(where)
    paid = ledger.reserve(ALICE, "first", "f", pure(1), {"query": "count"})
    put_back()
    with pytest.raises(LedgerError, match=SET_BACK):
        ledger.store(ALICE, "first", "12", paid)  # type: ignore[arg-type]


def test_ledger_that_was_opened_again_remembers(where):
    ledger = spent_and_set_back(where)
    ledger.close()
    with pytest.raises(LedgerError, match=SET_BACK):
        ask(ledger, "fourth")


def test_forked_process_remembers(where):
    ledger = spent_and_set_back(where)
    child = os.fork()
    if child == 0:
        try:
            with pytest.raises(LedgerError, match=SET_BACK):
                ask(ledger, "fourth")
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_charges_of_others_are_no_setting_back(where):
    ledger, other = opened(where, 3), open_ledger(where)
    for turn in range(3):
        ask(ledger, f"mine {turn}", "0.1")
        ask(other, f"yours {turn}", "0.1")
        assert ledger.remaining(ALICE) == other.remaining(ALICE)
    assert len(charges(where)) == 6


def test_tables_that_were_removed_are_missed_and_not_made_again(postgres, tmp_path):
    where = place("postgres", tmp_path, postgres)
    ledger = opened(where, 3)
    ask(ledger, "first")
    execute(where, f"DROP TABLE {', '.join(TABLES)}")
    ledger.close()
    with pytest.raises(LedgerError, match="was moved, removed or replaced while it was in use; nothing was charged"):
        ask(ledger, "second")
    with psycopg.connect(where) as database:
        assert database.execute("SELECT to_regclass('eremite_head')").fetchone() == (None,)


def released_by_setting_back(where: str) -> int:
    """How much of a cap of 3 an attack gets who puts copies back, and lets others go on before the victim asks."""
    ledger = opened(where, 3)
    put_back, got = backed_up(where), 0
    for turn in range(8):
        with suppress(LedgerError):
            ask(ledger, f"r{turn}")
            got += 1
        put_back()
        if turn % 2:
            open_ledger(where).reserve(BOB, f"filler {turn}", "f", pure("0.001"), {"query": "count"})
    return got


def only_the_number(self: Remembered, hash_at: Callable[[int], str | None], ledger: str) -> None:
    if self.head.seq and hash_at(self.head.seq) is None:
        raise set_back(ledger)


def only_the_first_event(self: Remembered, hash_at: Callable[[int], str | None], ledger: str) -> None:
    if self.head.seq and hash_at(1) is None:
        raise set_back(ledger)


MUTANTS = {
    "no comparison": ("require", lambda *_: None),
    "only whether the event is there": ("require", only_the_number),
    "only whether there are events": ("require", only_the_first_event),
    "nothing is remembered": ("advance", lambda *_: None),
}


def test_attack_gets_one_charge_and_no_more(where):
    assert released_by_setting_back(where) == 1


@pytest.mark.parametrize("mutant", MUTANTS)
def test_attack_beats_a_comparison_that_is_less(mutant, tmp_path, monkeypatch):
    monkeypatch.setattr(Remembered, *MUTANTS[mutant])
    assert released_by_setting_back(place("sqlite", tmp_path, None)) > 1


def test_session_releases_no_more_than_its_cap_when_the_ledger_is_set_back(where):
    """The attack that was found: release, put the copy back, release again, as often as one likes."""
    table = Table.from_frame(np.linspace(0, 1, 20)[:, None], bounds={"x": (0, 1)})
    opened(where, 3).close()
    session = Session(table, epsilon=3, ledger=where, dataset="patients")
    put_back, released = backed_up(where), 0
    for turn in range(8):
        try:
            session.count_outliers(OutlierDefinition(min_neighbors=2, radius=0.1), epsilon=1, request_id=f"r{turn}")
            released += 1
        except LedgerError:
            pass
        put_back()
    assert released == 1


def test_what_is_remembered_never_moves_back():
    remembered = Remembered()
    remembered.advance(Head(2, "b"))
    remembered.advance(Head(1, "a"))
    assert remembered.head == Head(2, "b")
    remembered.require({2: "b"}.get, "The ledger")
    for chain in ({}, {1: "a"}, {2: "c"}):
        with pytest.raises(LedgerError, match="was set back"):
            remembered.require(chain.get, "The ledger")
