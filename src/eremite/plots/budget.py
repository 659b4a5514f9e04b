"""Epsilon over time: what each account spent, the caps, and refused requests."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.figure import Figure

from eremite.charts.words import LONGEST_NAME
from eremite.names import show_name
from eremite.plots.look import (
    BLACK,
    BLUE,
    DASHED,
    DOTTED,
    GRAY,
    GREEN,
    ORANGE,
    RED,
    Line,
    Style,
    name_ends,
    panels,
    plot,
)
from eremite.plots.words import frame

_ACCOUNTS: list[tuple[str, Style]] = [(BLUE, "-"), (ORANGE, DASHED), (GREEN, DOTTED)]
_MINUTE = 1 / 1_440  # as a part of a day


@dataclass(frozen=True, slots=True)
class Course:
    """A budget after each of its events; `caps` and `left` are None while it has no cap."""

    name: str
    times: Sequence[datetime]
    spent: Sequence[float]
    caps: Sequence[float | None]
    left: Sequence[float | None]


def draw(dataset: str, courses: Sequence[Course], refused: Sequence[tuple[datetime, str]], by_sums: bool) -> Figure:
    """A figure of the dataset's course, which is the first, and those of accounts.

    With `by_sums` it shows spending and caps; otherwise spending, and the epsilon that is left for one release.
    """
    accounts = _worth_drawing(courses)
    styled = [(courses[0], BLACK, "-"), *((course, *style) for course, style in zip(accounts, _ACCOUNTS, strict=False))]
    start, end = _span(courses, [time for time, _ in refused])
    figure, grid = panels(1 if by_sums else 2, 1, 7.6, 4.0 if by_sums else 6.2)
    spent = [_stairs(course, course.spent, end, color, style) for course, color, style in styled]
    _panel(grid[0], [*spent, *(_caps(styled, end) if by_sums else [])], "epsilon spent, added up", (start, end))
    _crosses(grid[0], spent[0], [_days(time) for time, _ in refused])
    if not by_sums:
        left = [_stairs(course, course.left, end, color, style) for course, color, style in styled if _capped(course)]
        _panel(grid[1], left, "epsilon left for one release", (start, end))
    grid[-1].set_xlabel("time (UTC)")
    undrawn = len(courses) - 1 - len(accounts) if accounts else 0
    return frame(figure, f"Budget of {show_name(dataset, LONGEST_NAME)}", *_notes(len(refused), undrawn, by_sums))


def _days(time: datetime) -> float:
    """The time in days, as matplotlib counts it."""
    return time.timestamp() / 86_400


def _span(courses: Sequence[Course], refused: Sequence[datetime]) -> tuple[float, float]:
    """The range of times: from the first event to a little after the last."""
    times = [_days(time) for course in courses for time in course.times] + [_days(time) for time in refused]
    return min(times), max(times) + max((max(times) - min(times)) * 0.03, _MINUTE)


def _worth_drawing(courses: Sequence[Course]) -> list[Course]:
    """The accounts to draw: those that spent most, and none if a single account equals the whole dataset."""
    whole, accounts = courses[0], courses[1:]
    if len(accounts) == 1 and accounts[0].spent[-1] == whole.spent[-1] and not _capped(accounts[0]):
        return []
    return sorted(accounts, key=lambda course: -course.spent[-1])[: len(_ACCOUNTS)]


def _capped(course: Course) -> bool:
    return course.caps[-1] is not None


def _caps(styled: Sequence[tuple[Course, str, Style]], end: float) -> list[Line]:
    whole, *accounts = styled
    lines = [_stairs(whole[0], whole[0].caps, end, GRAY, DASHED, "cap")]
    for course, color, _ in accounts:
        if _capped(course):
            lines.append(_stairs(course, course.caps, end, color, DOTTED, f"cap of {_named(course)}"))
    return lines


def _stairs(
    course: Course, values: Sequence[float | None], end: float, color: str, style: Style, name: str | None = None
) -> Line:
    """A line in steps: a value holds until the next event. Spending starts at 0."""
    x = [_days(course.times[0])] * (values is course.spent)
    y = [0.0] * len(x)
    for time, value in zip(course.times, values, strict=True):
        if value is not None:
            x += [_days(time)] * (1 + bool(y))
            y += [*y[-1:], value]
    return Line(_named(course) if name is None else name, [*x, end], [*y, y[-1]], color, style)


def _named(course: Course) -> str:
    """The name of a course, with dollar signs escaped, so that matplotlib does not read mathematics."""
    return show_name(course.name, 20).replace("$", r"\$")


def _panel(axes: Axes, lines: Sequence[Line], words: str, span: tuple[float, float]) -> None:
    plot(axes, lines)
    locator = AutoDateLocator()  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    axes.set_xlim(*span)
    axes.set_ylim(0, 1.08 * max(max(line.y) for line in lines))
    axes.set_ylabel(words)
    name_ends(axes, lines)


def _crosses(axes: Axes, whole: Line, refused: Sequence[float]) -> None:
    """Draw a cross for each refused request, at the spending of that time."""
    for at in refused:
        height = max(y for x, y in zip(whole.x, whole.y, strict=True) if x <= at)
        axes.plot([at], [height], "x", color=RED, ms=8, mew=2, zorder=4)


def _notes(refused: int, undrawn: int, by_sums: bool) -> list[str]:
    crosses = [f"crosses: {refused:,} refused request{'s' * (refused != 1)}"] * bool(refused)
    others = [f"accounts in the sum alone: {undrawn:,}"] * bool(undrawn)
    how = "added up" if by_sums else "added up, or composed by zCDP where that leaves more, as the ledger counts"
    return [f"charges are {how}", "; ".join([*crosses, *others])] if crosses or others else [f"charges are {how}"]
