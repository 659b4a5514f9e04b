"""Budgets over time, recomputed from the history event by event, as the ledger did."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Generic, TypeVar

from eremite.ledger.budget import Budget, charged
from eremite.ledger.events import CapSet, Charged, DatasetOpened, Event, Refused
from eremite.ledger.remaining import remaining

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Of a budget with more moments, or of more refusals, fewer are kept: every second, every fourth, and so on. A picture
#: does not show more, and memory stays bounded however long a history is.
MOST_MOMENTS = 2000

S = TypeVar("S")


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
    whole, refused = _Course(Budget("", None)), _Thinned[tuple[datetime, str]]()
    accounts: dict[str, _Course] = {}
    for time, event in _in_order(history):
        if isinstance(event, Refused) and analyst in (None, event.analyst):
            refused.append((time, event.analyst))
        whole.take(time, event)
        whose = getattr(event, "analyst", None)
        if whose is not None and analyst in (None, whose):
            accounts.setdefault(whose, _Course(Budget(whose, None))).take(time, event)
    kept = tuple((name, course.moments) for name, course in sorted(accounts.items()) if course.moments)
    return BudgetTimeline(dataset, whole.moments, kept, refused.kept)


def _in_order(history: Iterable[tuple[datetime, Event]]) -> Iterator[tuple[datetime, Event]]:
    latest: datetime | None = None
    for time, event in history:
        latest = time if latest is None else max(latest, time)
        yield latest, event


class _Thinned(Generic[S]):
    """At most `MOST_MOMENTS` things of a longer sequence: the first, evenly spread ones, and the last."""

    def __init__(self) -> None:
        self._kept: list[S] = []
        self._last: list[S] = []
        self._seen, self._step = 0, 1

    def append(self, one: S) -> None:
        self._last = [one]
        if self._seen % self._step == 0:
            self._kept.append(one)
        if len(self._kept) == MOST_MOMENTS:
            self._kept, self._step = self._kept[::2], self._step * 2
        self._seen += 1

    @property
    def kept(self) -> tuple[S, ...]:
        has_last = (self._seen - 1) % self._step == 0
        return tuple(self._kept if has_last else self._kept + self._last)


class _Course:
    """A budget, and its moments so far."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._whole = budget.name == ""
        self._moments = _Thinned[Moment]()

    @property
    def moments(self) -> tuple[Moment, ...]:
        return self._moments.kept

    def take(self, time: datetime, event: Event) -> None:
        """Add a moment if the event changes this budget."""
        if isinstance(event, Charged):
            self._budget = replace(self._budget, spent=charged(self._budget, event.cost))
        elif isinstance(event, DatasetOpened) or (isinstance(event, CapSet) and (event.analyst is None) == self._whole):
            self._budget = replace(self._budget, cap=event.cap)
        else:
            return
        self._moments.append(Moment(time, self._budget))
