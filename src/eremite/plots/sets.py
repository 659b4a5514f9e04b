"""Sets of columns as a matrix of dots: a row for each set in the order drawn, with its noisy count if there is one.

The sets of several points stand below each other, with the number of the point beside its first set.
"""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from eremite.charts import SetsChart
from eremite.charts.records import MOST_SETS, Ends, Names
from eremite.charts.words import LONGEST_NAME
from eremite.names import show_name
from eremite.plots.bars import draw_counts, label_of
from eremite.plots.look import BLACK, panels

_CELL = 0.3  # inches
_STRIPE, _ABSENT = "0.955", "0.85"


def draw(chart: SetsChart) -> Figure:
    """A figure with a dot for each column in a set, joined by a line, and bars for the counts.

    If there are several points, the number of each, from 1, stands beside its first set.
    """
    if len(chart.by_point) > 1:
        return _draw_by_point(chart)
    known, height = chart.known, _CELL * len(chart.sets) + _below(chart.known)
    ratios = [_CELL * len(known) + 0.8] + [2.4] * (chart.counts is not None)
    figure, grid = panels(1, len(ratios), max(sum(ratios) + 0.6, 6.0), height, ratios)
    _dots(grid[0], chart.sets, known)
    if chart.counts is not None:
        _bars(grid[1], chart.counts[:MOST_SETS], chart.ends)
    return figure


def _draw_by_point(chart: SetsChart) -> Figure:
    sets, known, points = chart.sets, chart.known, chart.shown_points
    figure, [axes] = panels(1, 1, max(_CELL * len(known) + 1.4, 6.0), _CELL * len(sets) + _below(known))
    _dots(axes, sets, known)
    firsts = [1 + sum(map(len, points[:point])) for point in range(len(points))]
    for rank in firsts[1:]:
        axes.axhline(rank - 0.5, color="0.6", lw=0.8)
    axes.set_yticks(firsts, [f"{number:,}" for number in range(1, len(firsts) + 1)])
    axes.set(ylabel="number of\nthe point")
    return figure


def _below(known: Sequence[str]) -> float:
    """Height in inches of the title, the slanted names and the footer."""
    return 1.4 + 0.05 * max(len(show_name(name, LONGEST_NAME)) for name in known)


def _dots(axes: Axes, sets: Sequence[Names], known: Sequence[str]) -> None:
    for rank, names in enumerate(sets, 1):
        inside = sorted(known.index(name) for name in names)
        outside = [place for place in range(len(known)) if place not in inside]
        axes.plot(inside, [rank] * len(inside), "o-", color=BLACK, ms=8, lw=1.6)
        axes.plot(outside, [rank] * len(outside), "o", color=_ABSENT, ms=6)
    axes.set_xticks(
        range(len(known)), [show_name(name, LONGEST_NAME) for name in known], rotation=40, ha="right", parse_math=False
    )
    axes.set(xlim=(-0.6, len(known) - 0.4), ylabel="order drawn")
    _lines(axes, len(sets))


def _bars(axes: Axes, counts: Sequence[int], ends: Ends) -> None:
    furthest = draw_counts(axes, range(1, len(counts) + 1), counts, ends)
    axes.set(xlim=(0, 1.3 * furthest), xticks=[], xlabel=label_of(ends))
    axes.spines[["bottom"]].set_visible(False)
    _lines(axes, len(counts))
    axes.set_yticklabels([])


def _lines(axes: Axes, number: int) -> None:
    """Label the ranks from the top, with a stripe behind every other one."""
    for rank in range(1, number + 1, 2):
        axes.axhspan(rank - 0.5, rank + 0.5, color=_STRIPE, lw=0, zorder=0)
    axes.set_yticks(range(1, number + 1))
    axes.set_ylim(number + 0.5, 0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines[["left"]].set_visible(False)
