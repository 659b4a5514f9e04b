"""A budget's course is what the ledger did, event by event."""

import contextlib
from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest

from eremite.errors import BudgetRefused, InputError
from eremite.ledger import Account, Cost, Ledger, MemoryStore
from eremite.privacy import Privacy

START = datetime(2026, 1, 5, tzinfo=UTC)


def ledger(cap, charges, hours=1):
    """A ledger after charges of (account, epsilon), an hour apart; refused ones are only kept as such."""
    clock = [START]
    made = Ledger(MemoryStore(), lambda: clock[0])
    made.open_dataset("patients", cap)
    for number, (account, epsilon) in enumerate(charges):
        clock[0] += timedelta(hours=hours)
        with contextlib.suppress(BudgetRefused):
            made.reserve(
                Account("patients", account), str(number), "f", Cost.pure(Fraction(epsilon)), {"query": "words"}
            )
    return made


def spent(moments):
    return [moment.budget.spent.epsilon for moment in moments]


def test_course_ends_where_the_ledger_stands():
    for delta in (Fraction(0), Fraction(1, 10**6)):
        made = ledger(Privacy(Fraction(1), delta), [("alice", "1/10"), ("bob", "1/5")] * 6)
        made.set_cap("patients", "bob", Privacy(Fraction(3)), reason="more")
        course = made.timeline("patients")
        stands = dict(made.budgets("patients"))
        assert course.whole[-1].budget.spent == stands[None].spent
        assert course.whole[-1].budget.cap == stands[None].cap
        for name, moments in course.accounts:
            assert (moments[-1].budget.spent, moments[-1].budget.cap) == (stands[name].spent, stands[name].cap)
        assert course.whole[-1].remaining == made.remaining(Account("patients", "alice")).privacy.epsilon


def test_course_has_every_step_and_every_refusal():
    course = ledger(Privacy(Fraction(1, 2)), [("alice", "1/5"), ("bob", "2/5"), ("bob", "1/5")]).timeline("patients")
    assert spent(course.whole) == [0, Fraction(1, 5), Fraction(2, 5)]
    assert [moment.remaining for moment in course.whole] == [Fraction(1, 2), Fraction(3, 10), Fraction(1, 10)]
    assert [moment.time for moment in course.whole] == [START + timedelta(hours=hours) for hours in (0, 1, 3)]
    assert [(name, spent(moments)) for name, moments in course.accounts] == [
        ("alice", [Fraction(1, 5)]),
        ("bob", [Fraction(1, 5)]),
    ]
    assert course.refused == ((START + timedelta(hours=2), "bob"),)


def test_course_of_an_account_names_no_other():
    course = ledger(Privacy(Fraction(1, 2)), [("alice", "1/5"), ("bob", "1"), ("alice", "1")]).timeline(
        "patients", "bob"
    )
    assert [name for name, _ in course.accounts] == []
    assert [name for _, name in course.refused] == ["bob"]
    assert spent(course.whole) == [0, Fraction(1, 5)]


def test_course_keeps_the_order_of_events_when_a_clock_runs_back():
    course = ledger(Privacy(Fraction(1)), [("alice", "1/5")] * 3, hours=-1).timeline("patients")
    assert [moment.time for moment in course.whole] == [START] * 4
    assert spent(course.whole) == [0, Fraction(1, 5), Fraction(2, 5), Fraction(3, 5)]


@pytest.mark.parametrize("charges", [1, 6, 7, 8, 9, 15, 16, 17, 40])
def test_long_course_keeps_its_first_moment_its_last_and_some_between(monkeypatch, charges):
    made = ledger(Privacy(Fraction(10)), [("alice", "1/100")] * charges + [("alice", "100")] * charges)
    whole = made.timeline("patients")
    monkeypatch.setattr("eremite.ledger.timeline.MOST_MOMENTS", 8)
    course = made.timeline("patients")
    assert len(course.whole) <= 8
    assert len(course.refused) <= 8
    assert len(course.whole) >= min(charges + 1, 4)
    assert (course.whole[0], course.whole[-1]) == (whole.whole[0], whole.whole[-1])
    assert (course.refused[0], course.refused[-1]) == (whole.refused[0], whole.refused[-1])
    assert set(course.whole) <= set(whole.whole)
    assert spent(course.whole) == sorted(spent(course.whole))


def test_course_of_an_unknown_dataset_is_refused():
    with pytest.raises(InputError, match="'others' is not in this ledger"):
        ledger(Privacy(Fraction(1)), []).timeline("others")
