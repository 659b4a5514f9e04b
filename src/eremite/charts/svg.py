"""Each kind of chart as SVG, made for the width of a phone: lines are below each other, names are horizontal."""

from collections.abc import Callable, Sequence
from math import ceil, floor, log10
from textwrap import wrap
from typing import Any

from eremite.charts.canvas import SIZE, WIDTH, band, bar, box, dot, fitted, label, line, picture, text, width_of
from eremite.charts.records import (
    MOST_CANDIDATES,
    MOST_GROUPS,
    MOST_SETS,
    AnswersChart,
    CandidatesChart,
    Chart,
    CountChart,
    Ends,
    ErrorsChart,
    GroupsChart,
    RadiiChart,
    SetsChart,
    SpendingChart,
)
from eremite.names import show_name

_ROW = 26  # units from one line to the next
_GAP = 8  # between a name, a bar and a number
_WIDEST_NAME = 150
_LINE = 56  # letters of a note
_ORDER = "order drawn"
_MOST_SEARCHED = 16  # if there are more columns, only those that occur are shown
_MOST_BOXES = 20 * 15
_FADED = 0.45  # of a bar with ends
#: What is said below counts with ends.
ENDS_NOTE = "lines: each true count lies within its own, as often as is said below"

Drawing = tuple[float, list[str]]  # the height, and what is drawn


def svg(chart: Chart, title: str) -> str:
    """The chart as one <svg> element, with its title as the label for screen readers. All texts are escaped."""
    height, parts = _DRAWINGS[type(chart)](chart)
    return picture(height, title, parts)


def _count(chart: CountChart) -> Drawing:
    """A dot on a number line from 0, in the bar of its interval."""
    low, high = chart.interval or (chart.value, chart.value)
    axis = _Axis(12, WIDTH - 12, max(1.08 * max(high, chart.value), 10))
    parts = [axis.drawn(58)]
    if chart.interval is not None:
        parts.append(bar(axis.at(low), 34, max(axis.at(high) - axis.at(low), 2), 12, opacity=0.45))
    parts += [dot(axis.at(chart.value), 40, 6), label(axis.at(chart.value), 22, f"{chart.value:,}", strong=True)]
    return _with_note(88, parts, chart.said)


def _groups(chart: GroupsChart) -> Drawing:
    names, counts = chart.names[:MOST_GROUPS], chart.counts[:MOST_GROUPS]
    left = len(chart.names) - len(names)
    labels = [f"{count:,}" for count in counts]
    height, parts = _bars(names, [(0, count) for count in counts], labels, ends=chart.ends)
    notes = [f"and {left:,} more groups"] * (left > 0) + [ENDS_NOTE] * any(chart.ends)
    return _with_note(height, parts, "; ".join(notes))


def _sets(chart: SetsChart) -> Drawing:
    """A line for each column, and from left to right the sets in the order drawn, as dots joined by a line."""
    sets, counts = chart.sets, (chart.counts or ())[:MOST_SETS]
    names = list(chart.columns) if len(chart.columns) <= _MOST_SEARCHED else chart.known
    names += [name for name in chart.known if name not in names]
    shown = _names(names)
    start = max(map(width_of, [*shown, _ORDER] if len(sets) > 1 else shown)) + 2 * _GAP
    step = _step(WIDTH - start - 6, len(sets), [f"{count:,}" for count in counts])
    middles = [start + step * (place + 0.5) for place in range(len(sets))]
    top, parts = _towers(counts, chart.ends, middles, step) if counts else (0.0, [])
    top, heads = _heads(chart, middles, step, top, len(names))
    parts += heads
    for place, name in enumerate(shown):
        y = top + _ROW * (place + 0.5)
        parts += [band(y - _ROW / 2, _ROW)] * (place % 2 == 0) + [text(4, y + 4.5, name)]
    for middle, members in zip(middles, sets, strict=True):
        heights = {name: top + _ROW * (place + 0.5) for place, name in enumerate(names)}
        parts += [dot(middle, y, min(2.5, step / 5), opacity=0.25) for n, y in heights.items() if n not in members]
        parts += _dots(middle, [y for name, y in heights.items() if name in members], min(6, step * 0.42))
    every = sum(map(len, chart.by_point))
    notes = [f"the first {len(sets):,} of {every:,} sets"] * (len(sets) < every) + [ENDS_NOTE] * any(chart.ends)
    return _with_note(top + _ROW * len(names), parts, "; ".join(notes))


def _step(room: float, number: int, labels: Sequence[str]) -> float:
    """Units from one set to the next: as much as its count needs, if there is room."""
    return min(max([44, *(width_of(words, strong=True) + 10 for words in labels)]), room / number)


def _towers(counts: Sequence[int], ends: Ends, middles: Sequence[float], step: float) -> tuple[float, list[str]]:
    """Upright bars of counts, with their numbers above them where they are wide enough; and the height of all."""
    shown = ends[: len(counts)] or (None,) * len(counts)
    tallest, highest, base = 64, max([*counts, 1, *(one[1] for one in shown if one)]), 64 + SIZE + 10
    roomy = all(width_of(f"{count:,}", strong=True) < step for count in counts)
    parts = []
    for count, middle, between in zip(counts, middles, shown, strict=True):
        low, high = (base - tallest * end / highest for end in between or (count, count))
        height = tallest * count / highest
        opacity = _FADED if any(shown) else 1
        parts.append(bar(middle - min(step * 0.34, 14), base - height, min(step * 0.68, 28), height, opacity=opacity))
        parts += [line(middle, low, middle, high, width=2.5, faint=False)] * (between is not None)
        parts += [label(middle, min(base - height, high) - 5, f"{count:,}", strong=True)] * roomy
    parts.append(line(middles[0] - step / 2, base, middles[-1] + step / 2, base))
    words = text(4, base - 4, "outliers" if width_of("outliers") < middles[0] - step / 2 else "", soft=True)
    return base + 4, [*parts, words]


def _heads(chart: SetsChart, middles: Sequence[float], step: float, top: float, below: int) -> tuple[float, list[str]]:
    """The order drawn above the sets; of several points, their numbers, with a line between two, `below` rows long."""
    y, several = top + 18, len(chart.by_point) > 1
    if not several:
        every = 1 if step >= 20 else 5
        ranks = [place for place in range(len(middles)) if place == 0 or (place + 1) % every == 0]
        words = [text(middles[place], y, f"{place + 1}", anchor="middle", soft=True) for place in ranks]
        return (top + _ROW, [text(4, y, _ORDER, soft=True), *words]) if len(middles) > 1 else (top, [])
    parts, first = [text(4, y, "point", soft=True)], 0
    for number, sets in enumerate(chart.shown_points, 1):
        inside = middles[first : first + len(sets)]
        parts.append(text(sum(inside) / len(inside), y, f"{number:,}", anchor="middle", soft=True))
        bottom = top + _ROW * (1 + below)
        parts += [line(inside[0] - step / 2, top + 4, inside[0] - step / 2, bottom)] * (number > 1)
        first += len(sets)
    return top + _ROW, parts


def _dots(x: float, heights: Sequence[float], size: float) -> list[str]:
    """Dots above each other, joined by a line."""
    return [line(x, heights[0], x, heights[-1], width=size / 3, faint=False), *(dot(x, y, size) for y in heights)]


def _candidates(chart: CandidatesChart) -> Drawing:
    """A line for each candidate drawn, from the first candidate to its own number."""
    shown = [place + 1 for place in chart.places[:MOST_CANDIDATES]]
    end = max(*shown, chart.number or 1, 2)
    widest = max(width_of(f"{number:,}", strong=True) for number in shown)
    axis = _Axis(38, WIDTH - widest - 2 * _GAP, end, start=1)
    parts = []
    for rank, number in enumerate(shown):
        y = _ROW * (rank + 0.5)
        parts += [text(28, y + 4.5, f"{rank + 1}.", anchor="end", soft=True), line(38, y, axis.at(number), y, width=2)]
        parts += [dot(axis.at(number), y, 5.5), text(axis.at(number) + 10, y + 4.5, f"{number:,}", strong=True)]
    left = len(chart.places) - len(shown)
    among = "" if chart.number is None else f" among {chart.number:,}"
    note = f"numbers of the candidates{among}, in the order drawn" + (f"; {left:,} more were drawn" if left else "")
    return _with_note(_ROW * len(shown) + 4, parts, note)


def _radii(chart: RadiiChart) -> Drawing:
    """Light dots for the list, on a logarithmic line, and a dark one for the radius."""
    ends = min(*chart.listed, chart.radius), max(*chart.listed, chart.radius)
    span = log10(ends[1]) - log10(ends[0]) or 1.0

    def at(radius: float) -> float:
        return 16 + (WIDTH - 32) * (log10(radius) - log10(ends[0])) / span

    parts = [line(8, 40, WIDTH - 8, 40), *(dot(at(radius), 40, 3.5, opacity=0.35) for radius in chart.listed)]
    parts += [dot(at(chart.radius), 40, 6.5), label(at(chart.radius), 22, f"{chart.radius:g}", strong=True)]
    parts += [text(8, 66, f"{ends[0]:g}", soft=True), text(WIDTH - 8, 66, f"{ends[1]:g}", anchor="end", soft=True)]
    return _with_note(72, parts, "light: the public list, on a logarithmic line")


def _answers(chart: AnswersChart) -> Drawing:
    """A box for each candidate, filled where the answer is yes."""
    shown, side, wide = chart.said[:_MOST_BOXES], 17, 20
    boxes = [
        box(2 + (place % wide) * (side + 4), 2 + place // wide * (side + 4), side, filled=said)
        for place, said in enumerate(shown)
    ]
    height = ((len(shown) - 1) // wide + 1) * (side + 4) + 2
    first, last = chart.before + 1, chart.before + len(shown)
    more = f"; {len(chart.said) - len(shown):,} more were asked" if len(shown) < len(chart.said) else ""
    return _with_note(height, boxes, f"candidates {first:,} to {last:,}; filled: said to be outliers{more}")


def _errors(chart: ErrorsChart) -> Drawing:
    """A bar up to the 95 % error for each epsilon, with a mark at the median."""
    labels = [f"{ceil(most):,}" for most in chart.mosts]
    names = [f"epsilon {epsilon}" for epsilon in chart.epsilons]
    wanted = None if chart.wanted is None else (chart.wanted, f"wanted: {chart.wanted:,g}")
    bars = [(0.0, most) for most in chart.mosts]
    height, parts = _bars(names, bars, labels, mark=wanted, marks=chart.medians)
    return _with_note(height, parts, "rows that a count is off by: 95 % by the bar at most, half by the line in it")


def _spending(chart: SpendingChart) -> Drawing:
    """A bar for each charge; under a cap, each begins where the one before it ended."""
    starts = [sum(chart.epsilons[:place]) if chart.cap else 0.0 for place in range(len(chart.epsilons))]
    bars = list(zip(starts, chart.epsilons, strict=True))
    cap = None if chart.cap is None else (chart.cap, f"cap: {chart.cap:g}")
    return _bars(chart.names, bars, [f"{epsilon:g}" for epsilon in chart.epsilons], mark=cap)


def _bars(
    names: Sequence[str],
    bars: Sequence[tuple[float, float]],
    labels: Sequence[str],
    *,
    mark: tuple[float, str] | None = None,
    marks: Sequence[float] = (),
    ends: Ends = (),
) -> Drawing:
    """A name, a bar from a start of a length, and a label, line by line; `mark` is an upright line through all, and
    a line from one of the `ends` to the other crosses each bar."""
    shown = _names(names)
    left = max(map(width_of, shown)) + 4 + _GAP
    right = WIDTH - max(width_of(words, strong=True) for words in labels) - _GAP
    shown_ends = ends[: len(bars)] or (None,) * len(bars)
    furthest = [start + length for start, length in bars] + [one[1] for one in shown_ends if one]
    end = max(furthest + ([mark[0]] if mark else [])) or 1
    scale, top = (right - left) / end, _ROW if mark else 0
    parts = []
    for place, (name, (start, length), words) in enumerate(zip(shown, bars, labels, strict=True)):
        y = top + _ROW * (place + 0.5)
        x, between = left + scale * start, shown_ends[place]
        opacity = _FADED if ends else 1
        parts += [text(4, y + 4.5, name), bar(x, y - 7, max(scale * length, 1), 14, opacity=opacity)]
        if between:
            parts.append(line(left + scale * between[0], y, left + scale * between[1], y, width=2.5, faint=False))
            length = max(length, between[1])
        if marks:
            parts.append(line(x + scale * marks[place], y - 7, x + scale * marks[place], y + 7, width=2, faint=False))
        after = WIDTH if mark else x + scale * length + _GAP / 2  # the mark must not run through numbers
        parts.append(text(after, y + 4.5, words, anchor="end" if mark else "start", strong=True))
    height = top + _ROW * len(bars)
    if mark:
        x = left + scale * mark[0]
        parts += [line(x, top - 4, x, height, dash="4 3", faint=False, width=1.2), label(x, top - 9, mark[1])]
    return height, parts


class _Axis:
    """A number line with round ticks, from `start` at the unit `left` to `end` at the unit `right`."""

    def __init__(self, left: float, right: float, end: float, start: float = 0) -> None:
        self._left, self._start, self._end = left, start, end
        self._scale = (right - left) / (end - start)

    def at(self, number: float) -> float:
        return self._left + (number - self._start) * self._scale

    def drawn(self, y: float) -> str:
        """The line, and numbers below it."""
        rounds = [number for number in _ticks(self._end) if self.at(number) <= WIDTH]
        numbers = "".join(
            line(self.at(number), y, self.at(number), y + 4)
            + text(*self._below(number, y), f"{number:,}", anchor=self._anchor(number), soft=True)
            for number in rounds
        )
        return line(self._left, y, WIDTH - self._left, y) + numbers

    def _below(self, number: int, y: float) -> tuple[float, float]:
        return (self.at(number) if self._anchor(number) == "middle" else (2 if number == 0 else WIDTH - 2)), y + 19

    def _anchor(self, number: int) -> str:
        half = width_of(f"{number:,}") / 2
        if self.at(number) - half < 0:
            return "start"
        return "end" if self.at(number) + half > WIDTH else "middle"


def _ticks(end: float) -> list[int]:
    """Round numbers from 0 to about the end, as many as their labels leave room for."""
    most = max(1, floor(WIDTH / (width_of(f"{end:,.0f}") + 24)))
    power = 10 ** max(floor(log10(max(end / most, 1))), 0)
    step = next(step for step in (power, 2 * power, 5 * power, 10 * power) if end / step <= most or step == 10 * power)
    return list(range(0, floor(end) + 1, step))


def _names(names: Sequence[str]) -> list[str]:
    return [fitted(show_name(name, 60), _WIDEST_NAME) for name in names]


def _with_note(height: float, parts: list[str], note: str) -> Drawing:
    """The drawing with a note below it, on as many lines as it needs."""
    lines = wrap(note, _LINE)
    words = [text(4, height + 18 * (place + 1), each, soft=True) for place, each in enumerate(lines)]
    return height + 18 * len(lines) + (6 if lines else 0), parts + words


_DRAWINGS: dict[type, Callable[[Any], Drawing]] = {
    CountChart: _count,
    GroupsChart: _groups,
    SetsChart: _sets,
    CandidatesChart: _candidates,
    RadiiChart: _radii,
    AnswersChart: _answers,
    ErrorsChart: _errors,
    SpendingChart: _spending,
}
