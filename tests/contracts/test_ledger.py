"""What every store of a ledger must do; each runs the same tests."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import count
from pathlib import Path

import pytest

from eremite import BudgetRefused, InputError, Privacy
from eremite.ledger import Cost, Ledger, LedgerError, MemoryStore, Reserved, Stored, Unanswered, migrations, open_ledger
from eremite.ledger.chain import next_row
from eremite.ledger.events import CapSet, Charged, DatasetOpened, Refused, Released
from eremite.ledger.store import Changes
from tests.contracts.ledger_places import ALICE, BOB, execute, opened, place, pure

PAID = Reserved(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
MILLIONTH = Fraction(1, 10**6)
NEW_YEAR = datetime(2030, 1, 1, tzinfo=UTC)


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


def test_thousand_charges_of_a_tenth_spend_exactly_a_hundred(ledger):
    ledger.set_cap("patients", None, Privacy(Fraction(100)), reason="a long study")
    for i in range(1000):
        ledger.reserve(ALICE, f"r{i}", "f", pure("0.1"), {"query": "count"})
    assert ledger.remaining(ALICE).privacy == Privacy(Fraction(0))
    with pytest.raises(BudgetRefused):
        ledger.reserve(ALICE, "more", "f", pure(MILLIONTH), {"query": "count"})
    assert ledger.verify().sound


def test_same_id_gives_the_stored_release_and_charges_nothing(ledger):
    first = ledger.reserve(ALICE, "r", "f", pure("0.4"), {"query": "count"})
    assert isinstance(first, Reserved)
    ledger.store(ALICE, "r", '{"value": 3}', PAID)
    for _ in range(3):
        assert ledger.reserve(ALICE, "r", "f", pure("0.4"), {"query": "count"}) == Stored('{"value": 3}')
    assert ledger.remaining(ALICE).privacy.epsilon == Fraction("0.6")


def test_foreseen_charge_is_not_made_and_a_foreseen_refusal_is_kept(ledger):
    asked = {"query": "count"}
    assert ledger.foresee(ALICE, "r", "f", pure("0.4"), asked) is None
    assert ledger.became_of(ALICE, "r") is None
    with pytest.raises(BudgetRefused):
        ledger.foresee(ALICE, "more", "f", pure(2), asked)
    assert [type(entry.event) for entry in ledger.history("patients")] == [DatasetOpened, Refused]
    assert ledger.remaining(ALICE).privacy.epsilon == 1


def test_what_became_of_a_request_is_known(ledger):
    asked = {"query": "count"}
    ledger.reserve(ALICE, "r", "f", pure("0.4"), asked)
    assert ledger.became_of(ALICE, "r") == Unanswered()
    assert ledger.became_of(BOB, "r") is None
    ledger.store(ALICE, "r", "{}", PAID)
    assert ledger.became_of(ALICE, "r") == ledger.foresee(ALICE, "r", "f", pure("0.4"), asked) == Stored("{}")


def test_same_id_of_another_account_is_another_request(ledger):
    ledger.reserve(ALICE, "r", "f", pure("0.4"), {"query": "count"})
    ledger.store(ALICE, "r", "hers", PAID)
    assert isinstance(ledger.reserve(BOB, "r", "f", pure("0.4"), {"query": "count"}), Reserved)
    ledger.store(BOB, "r", "his", PAID)
    assert ledger.reserve(ALICE, "r", "f", pure("0.4"), {"query": "count"}) == Stored("hers")
    assert ledger.remaining(BOB).privacy.epsilon == Fraction("0.2")


def test_same_id_with_other_parameters_is_an_input_error(ledger):
    ledger.reserve(ALICE, "r", "f", pure("0.1"), {"query": "count"})
    ledger.store(ALICE, "r", "{}", PAID)
    with pytest.raises(InputError, match="Request id 'r' was used for another request; ask under a new id"):
        ledger.reserve(ALICE, "r", "other", pure("0.1"), {"query": "count"})
    assert ledger.remaining(ALICE).privacy.epsilon == Fraction("0.9")
    assert isinstance(ledger.reserve(ALICE, "s", "other", pure("0.1"), {"query": "count"}), Reserved)


def test_charged_id_without_a_release_is_refused_and_stays_spent(ledger):
    ledger.reserve(ALICE, "r", "f", pure("0.1"), {"query": "count"})
    with pytest.raises(BudgetRefused, match="being computed, or its answer was lost in a crash"):
        ledger.reserve(ALICE, "r", "f", pure("0.1"), {"query": "count"})
    assert ledger.remaining(ALICE).privacy.epsilon == Fraction("0.9")


def test_release_is_stored_once_and_only_if_it_was_charged(ledger):
    with pytest.raises(InputError, match="'r' was not charged"):
        ledger.store(ALICE, "r", "{}", PAID)
    ledger.reserve(ALICE, "r", "f", pure("0.1"), {"query": "count"})
    ledger.store(ALICE, "r", "{}", PAID)
    with pytest.raises(InputError, match="'r' has its release already"):
        ledger.store(ALICE, "r", "another", PAID)
    assert ledger.reserve(ALICE, "r", "f", pure("0.1"), {"query": "count"}) == Stored("{}")


def test_refusal_says_what_is_left_what_is_needed_and_what_to_do(ledger):
    ledger.set_cap("patients", "alice", Privacy(Fraction(1, 10)), reason="a visitor")
    with pytest.raises(BudgetRefused) as caught:
        ledger.reserve(ALICE, "r", "f", pure("0.25"), {"query": "count"})
    assert str(caught.value) == (
        "Account 'alice' has epsilon 0.1 left; this release needs 0.25. "
        "Ask for less, or have the custodian raise the cap."
    )
    assert isinstance(ledger.reserve(ALICE, "r", "f", pure("0.1"), {"query": "count"}), Reserved)


def test_both_caps_hold(ledger):
    ledger.set_cap("patients", "alice", Privacy(Fraction(3, 4)), reason="her share")
    ledger.reserve(ALICE, "r", "f", pure("0.5"), {"query": "count"})
    with pytest.raises(BudgetRefused, match=r"Account 'alice' has epsilon 0\.25 left; this release needs 0\.3\."):
        ledger.reserve(ALICE, "s", "f", pure("0.3"), {"query": "count"})
    ledger.reserve(BOB, "r", "f", pure("0.4"), {"query": "count"})
    with pytest.raises(BudgetRefused, match=r"Dataset 'patients' has epsilon 0\.1 left; this release needs 0\.2\."):
        ledger.reserve(ALICE, "t", "f", pure("0.2"), {"query": "count"})
    assert ledger.remaining(ALICE).privacy.epsilon == ledger.remaining(BOB).privacy.epsilon == Fraction("0.1")
    assert ledger.remaining(ALICE).words == (
        "Dataset 'patients' has epsilon 0.1 left of epsilon 1. Account 'alice' has epsilon 0.25 left of epsilon 0.75."
    )


def test_what_is_left_can_be_spent_and_no_more(ledger):
    ledger.set_cap("patients", None, Privacy(Fraction(1), MILLIONTH), reason="delta")
    for i in count():
        try:
            ledger.reserve(ALICE, f"r{i}", "f", pure("0.02"), {"query": "count"})
        except BudgetRefused:
            break
    assert i > 50, "zCDP admits more than the sums of epsilon do"
    left = ledger.remaining(ALICE).privacy.epsilon
    with pytest.raises(BudgetRefused):
        ledger.reserve(ALICE, "more", "f", pure(left + MILLIONTH), {"query": "count"})
    ledger.reserve(ALICE, "all", "f", pure(left), {"query": "count"})
    assert ledger.remaining(ALICE).privacy.epsilon < Fraction(1, 100)
    assert ledger.verify().sound


def test_datasets_of_one_ledger_are_apart(ledger):
    ledger.open_dataset("clients", Privacy(Fraction(1, 2)))
    ledger.reserve(ALICE, "r", "f", pure(1), {"query": "count"})
    clients = type(ALICE)("clients", "alice")
    ledger.reserve(clients, "r", "f", pure("0.5"), {"query": "count"})
    assert ledger.remaining(clients).privacy == ledger.remaining(ALICE).privacy == Privacy(Fraction(0))
    assert [entry.event.dataset for entry in ledger.history("clients")] == ["clients", "clients"]


def test_unknown_dataset_is_an_input_error(ledger):
    nowhere = type(ALICE)("nowhere", "alice")
    for ask in (
        lambda: ledger.reserve(nowhere, "r", "f", pure(1), {"query": "count"}),
        lambda: ledger.remaining(nowhere),
        lambda: ledger.set_cap("nowhere", None, Privacy(Fraction(1)), reason="x"),
        lambda: ledger.set_cap("nowhere", "alice", Privacy(Fraction(1)), reason="x"),
    ):
        with pytest.raises(InputError, match="Dataset 'nowhere' is not in this ledger"):
            ask()


def test_known_dataset_keeps_its_cap(ledger):
    assert ledger.open_dataset("patients", Privacy(Fraction(50))) == Privacy(Fraction(1))
    assert ledger.remaining(ALICE).privacy.epsilon == 1


def test_history_tells_everything_in_order(ledger):
    ledger.set_cap("patients", "bob", Privacy(Fraction(1, 5), MILLIONTH), reason="Ünïcödé, 'quoted'")
    ledger.reserve(ALICE, "r", "f", pure("0.5"), {"query": "count_outliers", "columns": ["bmi"]})
    ledger.store(ALICE, "r", '{"value": 1}', PAID)
    with pytest.raises(BudgetRefused):
        ledger.reserve(BOB, "s", "f", pure("0.3"), {"query": "count"})
    history = ledger.history()
    events = [entry.event for entry in history]
    assert [type(event) for event in events] == [DatasetOpened, CapSet, Charged, Released, Refused]
    assert history[3].time == PAID.charged_at  # not when it was ready
    assert events[1].reason == "Ünïcödé, 'quoted'"
    assert events[2].cost == pure("0.5")
    assert events[2].question == {"query": "count_outliers", "columns": ["bmi"]}
    assert [type(entry.event) for entry in ledger.history("patients", "alice")] == [Charged, Released]
    assert [entry.seq for entry in ledger.history()] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("name", ["", "a\x00b", "a\nb", "x" * 201, "\ud800"])
def test_names_that_no_store_could_keep_are_input_errors(ledger, name):
    for ask in (
        lambda: ledger.reserve(ALICE, name, "f", pure(1), {"query": "count"}),
        lambda: ledger.reserve(ALICE, "r", name, pure(1), {"query": "count"}),
        lambda: ledger.reserve(type(ALICE)("patients", name), "r", "f", pure(1), {"query": "count"}),
        lambda: ledger.open_dataset(name, Privacy(Fraction(1))),
        lambda: ledger.set_cap("patients", name, Privacy(Fraction(1)), reason="x"),
    ):
        with pytest.raises(InputError, match="printable characters"):
            ask()


@pytest.mark.parametrize("text", ["nul \x00", "\ud800", "%s ? %", "'; DROP TABLE eremite_events; --", "x" * 10**6])
def test_any_text_can_be_released_and_told(ledger, text):
    ledger.reserve(ALICE, "r'%s?", "f", pure(1), {"query": text})
    ledger.store(ALICE, "r'%s?", text, PAID)
    assert ledger.reserve(ALICE, "r'%s?", "f", pure(1), {"query": text}) == Stored(text)
    assert ledger.verify().sound


def test_clock_that_goes_backwards_harms_nothing(where):
    times = (NEW_YEAR - timedelta(days=i) for i in count())
    ledger = Ledger(open_ledger(where)._store, clock=lambda: next(times))
    ledger.open_dataset("patients", Privacy(Fraction(1)))
    for i in range(10):
        ledger.reserve(ALICE, f"r{i}", "f", pure("0.1"), {"query": "count"})
    history = ledger.history()
    assert [entry.seq for entry in history] == list(range(1, 12))
    assert history[0].time > history[-1].time
    assert ledger.remaining(ALICE).privacy.epsilon == 0
    assert ledger.verify().sound


def test_ledger_is_the_same_when_it_is_opened_again(where):
    ledger = opened(where, 1, "0.000001")
    ledger.reserve(ALICE, "r", "f", Cost.approximate(Fraction(1, 3), Fraction(1, 10**7)), {"query": "count"})
    before = ledger.remaining(ALICE), ledger.history(), ledger.verify()
    ledger.close()
    again = open_ledger(where)
    assert (again.remaining(ALICE), again.history(), again.verify()) == before
    assert before[2].sound


TAMPERING: dict[str, tuple[str, str]] = {
    "a changed payload": (
        "UPDATE eremite_events SET payload = replace(payload, '1/10', '1/20') WHERE seq = 4",
        "Event 4 was changed",
    ),
    "a changed time": (
        "UPDATE eremite_events SET time = '2020-01-01T00:00:00+00:00' WHERE seq = 3",
        "Event 3 was changed",
    ),
    "a changed kind": ("UPDATE eremite_events SET kind = 'refused' WHERE seq = 3", "Event 3 was changed"),
    "an unreadable row": ("UPDATE eremite_events SET payload = '[1' WHERE seq = 3", "Event 3 (charged) cannot have"),
    "a name that is none": (
        """UPDATE eremite_events SET payload = replace(payload, '"alice"', '[]') WHERE seq = 3""",
        "Event 3 (charged) cannot have",
    ),
    "a cap without end": (
        """UPDATE eremite_events SET payload = replace(payload, '"epsilon":"1"', '"epsilon":"3e999"') WHERE seq = 1""",
        "Event 1 (dataset opened) cannot have",
    ),
    "another number of rows a person": (
        "UPDATE eremite_standings SET rows_per_person = 5 WHERE analyst = ''",
        "sums kept for dataset 'patients'",
    ),
    "another relation between neighbors": (
        "UPDATE eremite_standings SET neighbors = 'add-remove' WHERE analyst = ''",
        "sums kept for dataset 'patients'",
    ),
    "a removed row": ("DELETE FROM eremite_events WHERE seq = 3", "Event 3 is missing or out of place"),
    "the last row removed": ("DELETE FROM eremite_events WHERE seq = 6", "ends at event 5, its head says event 6"),
    "all rows removed": ("DELETE FROM eremite_events", "ends at event 0, its head says event 6"),
    "two rows reordered": (
        "UPDATE eremite_events SET seq = CASE seq WHEN 3 THEN -4 ELSE -3 END WHERE seq IN (3, 4)",
        "Event 3 was changed",
    ),
    "a smaller sum": (
        "UPDATE eremite_standings SET epsilon = '0' WHERE analyst = ''",
        "sums kept for dataset 'patients'",
    ),
    "a higher cap": ("UPDATE eremite_standings SET cap_epsilon = '9' WHERE analyst = ''", "sums kept for dataset"),
    "an account's sum": ("UPDATE eremite_standings SET rho = '0' WHERE analyst = 'alice'", "kept for account 'alice'"),
    "a lost account": ("DELETE FROM eremite_standings WHERE analyst = 'alice'", "kept for account 'alice'"),
    "a forgotten request": (
        "DELETE FROM eremite_requests WHERE request_id = 'r1'",
        "record of request 'r1'",
    ),
    "another fingerprint": ("UPDATE eremite_requests SET fingerprint = 'g' WHERE request_id = 'r1'", "of request 'r1'"),
    "another release": ("UPDATE eremite_requests SET released = 3 WHERE request_id = 'r0'", "of request 'r0'"),
}


@pytest.mark.parametrize("what", TAMPERING)
def test_verify_finds_tampering(where, what):
    statement, words = TAMPERING[what]
    ledger = opened(where, 1)
    for i in range(4):
        ledger.reserve(ALICE, f"r{i}", "f", pure("0.1"), {"query": "count"})
    ledger.store(ALICE, "r0", "{}", PAID)
    assert ledger.verify().sound
    execute(where, statement)
    execute(where, "UPDATE eremite_events SET seq = -seq WHERE seq < 0")
    findings = ledger.verify().findings
    assert any(words in found for found in findings), findings


def test_end_that_was_cut_off_is_found_by_a_hash_that_was_noted(where):
    """Head and sums mended: nothing in the ledger itself can tell."""
    ledger = opened(where, 1)
    ledger.reserve(ALICE, "r0", "f", pure("0.1"), {"query": "count"})
    head = ledger._store.contents(lambda contents: contents.head)
    ledger.reserve(ALICE, "r1", "f", pure("0.1"), {"query": "count"})
    noted = ledger.verify().head.hash
    assert ledger.verify(noted).sound
    assert noted == ledger.history()[-1].hash
    execute(where, "DELETE FROM eremite_events WHERE seq = 3")
    execute(where, "DELETE FROM eremite_requests WHERE request_id = 'r1'")
    execute(where, f"UPDATE eremite_head SET seq = 2, hash = '{head.hash}'")
    execute(where, "UPDATE eremite_standings SET epsilon = '1/10', rho = '1/200', charges = 1")
    assert ledger.verify().sound
    assert ledger.verify(noted).findings == ("No event has the hash that was noted: events were cut off or rewritten.",)


def test_dataset_is_kept_for_one_number_of_rows_a_person(ledger):
    """What was released for people with one row keeps no promise to people with ten."""
    with pytest.raises(InputError, match="for people with at most 1 rows each, not 10; its budget cannot be carried"):
        ledger.open_dataset("patients", Privacy(Fraction(1)), rows_per_person=10)
    ledger.open_dataset("families", Privacy(Fraction(1)), rows_per_person=10)
    with pytest.raises(InputError, match="not 1;"):
        ledger.open_dataset("families", Privacy(Fraction(1)))
    assert [entry.event.rows_per_person for entry in ledger.history() if isinstance(entry.event, DatasetOpened)] == [
        1,
        10,
    ]


def test_dataset_is_kept_for_one_relation_between_neighbors(ledger):
    """An epsilon for replaced rows is no epsilon for rows that come and go."""
    with pytest.raises(InputError, match='for neighbors = "replace", not "add-remove"; its budget cannot be carried'):
        ledger.open_dataset("patients", Privacy(Fraction(1)), neighbors="add-remove")
    ledger.open_dataset("clients", Privacy(Fraction(1)), neighbors="add-remove")
    ledger.open_dataset("clients", Privacy(Fraction(1)), neighbors="add-remove")
    with pytest.raises(InputError, match='for neighbors = "add-remove", not "replace"'):
        ledger.open_dataset("clients", Privacy(Fraction(1)))
    opened = [entry.event.neighbors for entry in ledger.history() if isinstance(entry.event, DatasetOpened)]
    assert opened == [None, "add-remove"]
    assert ledger.verify().sound


@pytest.mark.parametrize("cap", [Privacy(Fraction(1), Fraction(3)), Privacy(Fraction(-1)), Privacy(float("inf"))])  # type: ignore[arg-type]
def test_cap_that_is_none_is_refused(ledger, cap):
    for change in (
        lambda: ledger.open_dataset("clients", cap),
        lambda: ledger.set_cap("patients", None, cap, reason="no limit"),
    ):
        with pytest.raises(InputError):
            change()
    assert ledger.remaining(ALICE).privacy == Privacy(Fraction(1))


def test_verify_finds_a_release_without_a_charge_and_a_charge_beyond_the_cap(where):
    """Somebody who can rewrite the whole chain, hashes and head included, still cannot make the sums come out."""
    ledger = opened(where, 1)
    unpaid = Released(dataset="patients", analyst="alice", request_id="r", release="{}")
    paid = Charged(dataset="patients", analyst="bob", request_id="r", fingerprint="f", cost=pure(2), words="words")
    for event in (unpaid, paid):
        ledger._store.change(ALICE, None, lambda page, event=event: (Changes(next_row(page.head, NEW_YEAR, event)), 0))
    found = " ".join(ledger.verify().findings)
    assert "Event 2 (released) cannot have happened: Request 'r' was not charged" in found
    assert "Event 3 was charged beyond the cap: Dataset 'patients' has epsilon 1 left; this release needs 2." in found


def test_older_ledger_is_brought_forward_and_keeps_everything(where, monkeypatch):
    ledger = opened(where, 1)
    ledger.reserve(ALICE, "r", "f", pure("0.1"), {"query": "count"})
    before = ledger.history()
    ledger.close()
    later = [
        *migrations.MIGRATIONS,
        ("ALTER TABLE eremite_head ADD COLUMN note TEXT", "UPDATE eremite_head SET note = 'x'"),
    ]
    monkeypatch.setattr(migrations, "MIGRATIONS", later)
    for _ in range(2):
        migrated = open_ledger(where)
        assert migrated.history() == before
        assert migrated.verify().sound
        migrated.close()
    execute(where, "UPDATE eremite_head SET note = note || 'y' WHERE version = 2")


def test_failed_migration_leaves_the_ledger_as_it_was(where, monkeypatch):
    opened(where, 1).close()
    with monkeypatch.context() as patch:
        broken = ("ALTER TABLE eremite_head ADD COLUMN note TEXT", "UPDATE nowhere SET x = 1")
        patch.setattr(migrations, "MIGRATIONS", [*migrations.MIGRATIONS, broken])
        with pytest.raises(LedgerError, match="nothing was released"):
            open_ledger(where)
    ledger = open_ledger(where)
    assert isinstance(ledger.reserve(ALICE, "r", "f", pure("0.1"), {"query": "count"}), Reserved)
    with pytest.raises(Exception, match="note"):
        execute(where, "SELECT note FROM eremite_head")


def test_newer_ledger_is_refused_in_a_sentence(where):
    ledger = opened(where, 1)
    ledger.close()
    execute(where, "UPDATE eremite_head SET version = 99")
    with pytest.raises(LedgerError, match=r"written by a newer version of eremite .* Install the newest eremite\."):
        open_ledger(where)


def test_sums_that_somebody_garbled_charge_nothing(where):
    ledger = opened(where, 1)
    execute(where, "UPDATE eremite_standings SET epsilon = 'much'")
    for ask in (
        lambda: ledger.reserve(ALICE, "r", "f", pure("0.1"), {"query": "count"}),
        lambda: ledger.remaining(ALICE),
    ):
        with pytest.raises(LedgerError, match="cannot be read: somebody changed them"):
            ask()
    execute(where, "UPDATE eremite_standings SET epsilon = '0'")
    assert ledger.remaining(ALICE).privacy.epsilon == 1


def test_failure_within_a_change_writes_nothing(ledger):
    def fails(page: object) -> tuple[None, None]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ledger._store.change(ALICE, "r", fails)
    assert isinstance(ledger.reserve(ALICE, "r", "f", pure(1), {"query": "count"}), Reserved)
    assert ledger.verify().sound
