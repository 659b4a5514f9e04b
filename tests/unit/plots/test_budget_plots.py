"""Budgets over time: steps, caps and crosses where the ledger has them."""

import contextlib
from datetime import UTC, datetime, timedelta
from fractions import Fraction

import numpy as np
import pytest

from eremite import OutlierDefinition, Session, Table
from eremite.errors import BudgetRefused
from eremite.ledger import Account, Cost, Ledger, MemoryStore
from eremite.plots import svg
from eremite.privacy import Privacy
from tests.unit.plots.made import words

START = datetime(2026, 1, 5, tzinfo=UTC)
DAY = START.timestamp() / 86_400


def course(cap, charges, analyst=None):
    """After charges of (account, epsilon), a day apart."""
    clock = [START]
    ledger = Ledger(MemoryStore(), lambda: clock[0])
    ledger.open_dataset("patients", cap)
    for number, (account, epsilon) in enumerate(charges):
        clock[0] += timedelta(days=1)
        with contextlib.suppress(BudgetRefused):
            ledger.reserve(
                Account("patients", account), str(number), "f", Cost.pure(Fraction(epsilon)), {"query": "words"}
            )
    return ledger.timeline("patients", analyst)


def corners(line):
    """A line's points, in days from the start; the last one, a little after the last event, left out."""
    return [(round(x - DAY, 9), y) for x, y in line.get_xydata().tolist()][:-1]


def test_budget_is_stairs_under_its_cap_with_a_cross_for_a_refusal():
    figure = course(Privacy(Fraction(1, 2)), [("alice", "1/4"), ("alice", "1/2"), ("alice", "1/4")]).plot()
    [axes] = figure.axes
    spent, cap, cross = axes.lines
    assert corners(spent) == [(0, 0), (0, 0), (0, 0), (1, 0), (1, 0.25), (3, 0.25), (3, 0.5)]
    assert {y for _, y in corners(cap)} == {0.5}
    assert [(round(x - DAY, 9), y) for x, y in cross.get_xydata()] == [(2, 0.25)]
    assert {"cap", "all accounts"} <= set(words(figure))
    assert "1 refused request" in "".join(words(figure))
    assert figure.get_suptitle() == "Budget of patients"


def test_budget_names_the_accounts_that_spent_most_and_counts_the_others():
    charges = [("ann", "1/10"), ("b$b", "2/10"), ("c$", "3/10"), ("dan", "4/10"), ("eve", "1/20")]
    figure = course(Privacy(Fraction(2)), charges).plot()
    assert {"dan", r"c\$", r"b\$b"} <= set(words(figure))
    assert not {"ann", "eve"} & set(words(figure))
    assert any("accounts in the sum alone: 2" in text for text in words(figure))
    assert svg(figure).startswith("<svg ")


def test_budget_with_a_delta_shows_what_the_ledger_leaves():
    over = course(Privacy(Fraction(1), Fraction(1, 10**6)), [("alice", "1/50")] * 75)
    spent, left = over.plot().axes
    assert spent.lines[0].get_ydata()[-1] == pytest.approx(1.5)
    assert len(spent.lines) == 1  # a cap on the sum is none here
    assert left.lines[0].get_ydata()[-1] == pytest.approx(float(over.whole[-1].remaining))
    assert left.lines[0].get_ydata()[0] == 1


def test_budget_that_was_never_used_is_drawn():
    [axes] = course(Privacy(Fraction(1)), []).plot().axes
    assert axes.lines[0].get_ydata().tolist() == [0, 0, 0, 0]
    assert np.diff(axes.get_xlim()) > 0


def test_session_draws_its_own_account_and_no_other():
    ledger = Ledger(MemoryStore())
    table = Table.from_frame(np.linspace(0, 1, 50)[:, None], bounds={"x": (0, 1)})
    sessions = [Session(table, epsilon=2, ledger=ledger, account=name) for name in ("alice", "bob")]
    for session in sessions:
        session.count_outliers(OutlierDefinition(min_neighbors=3, radius=0.1), epsilon=0.5)
    texts = words(sessions[1].budget_timeline.plot())
    assert "bob" in texts
    assert "alice" not in "".join(texts)
