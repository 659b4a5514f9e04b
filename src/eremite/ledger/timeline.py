"""Budgets over time, recomputed from the history event by event, as the ledger did."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from typing import TYPE_CHECKING

from eremite.ledger.budget import Budget, charged
from eremite.ledger.events import CapSet, Charged, DatasetOpened, Event, Refused
from eremite.ledger.remaining import remaining

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Moment:
    """A budget after an event. Times never decrease here, even if a clock ran back: the order of events counts."""

    time: datetime
    budget: Budget

    @property
    def remaining(self) -> Fraction | None:
        """The largest epsilon for one more release without delta; None without a cap."""
        have = remaining(self.budget)
        return None if have is None else have.epsilon


@dataclass(frozen=True, slots=True)
class BudgetTimeline:
    """The budget of a whole dataset over time, those of accounts, and the refused requests."""

    dataset: str
    whole: tuple[Moment, ...]
    accounts: tuple[tuple[str, tuple[Moment, ...]], ...]
    refused: tuple[tuple[datetime, str], ...]  # time and account

    def plot(self) -> "Figure":
        """A matplotlib figure of epsilon over time; crosses are refused requests. Needs eremite[plots]."""
        from eremite.plots.budget import Course, draw

        courses = [
            Course(
                name,
                [moment.time for moment in moments],
                [float(moment.budget.spent.epsilon) for moment in moments],
                [None if moment.budget.cap is None else float(moment.budget.cap.epsilon) for moment in moments],
                [None if moment.remaining is None else float(moment.remaining) for moment in moments],
            )
            for name, moments in (("all accounts", self.whole), *self.accounts)
        ]
        by_sums = all(moment.budget.cap is None or not moment.budget.cap.delta for moment in self.whole)
        return draw(self.dataset, courses, self.refused, by_sums)


def budget_timeline(
    history: Iterable[tuple[datetime, Event]], dataset: str, analyst: str | None = None
) -> BudgetTimeline:
    """The budgets of a dataset and of all its accounts, or of one of them, over time."""
    whole: list[Moment] = []
    accounts: dict[str, list[Moment]] = {}
    refused = []
    for time, event in _in_order(history):
        if isinstance(event, Refused) and analyst in (None, event.analyst):
            refused.append((time, event.analyst))
        _append(whole, time, event, Budget("", None))
        whose = getattr(event, "analyst", None)
        if whose is not None and analyst in (None, whose):
            _append(accounts.setdefault(whose, []), time, event, Budget(whose, None))
    kept = tuple((name, tuple(moments)) for name, moments in sorted(accounts.items()) if moments)
    return BudgetTimeline(dataset, tuple(whole), kept, tuple(refused))


def _in_order(history: Iterable[tuple[datetime, Event]]) -> Iterator[tuple[datetime, Event]]:
    latest: datetime | None = None
    for time, event in history:
        latest = time if latest is None else max(latest, time)
        yield latest, event


def _append(moments: list[Moment], time: datetime, event: Event, first: Budget) -> None:
    """Append a moment if the event changes this budget."""
    before = moments[-1].budget if moments else first
    whole = first.name == ""
    if isinstance(event, Charged):
        moments.append(Moment(time, replace(before, spent=charged(before, event.cost))))
    elif isinstance(event, DatasetOpened) or (isinstance(event, CapSet) and (event.analyst is None) == whole):
        moments.append(Moment(time, replace(before, cap=event.cap)))
