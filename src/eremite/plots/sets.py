"""Sets of columns as a matrix of dots: a row for each set in the order drawn, with its noisy count if there is one.

The sets of several points stand below each other, with the number of the point beside its first set.
"""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from eremite.errors import InputError
from eremite.names import show_name
from eremite.plots.look import BLACK, BLUE, panels
from eremite.plots.words import LONGEST_NAME

#: How many fit: the first sets are shown, with the columns that occur in them.
MOST_SETS = 40
MOST_COLUMNS = 60
_LARGEST_COUNT = 10**15
_CELL = 0.3  # inches
_STRIPE, _ABSENT = "0.955", "0.85"

Names = tuple[str, ...]


def checked(value: object) -> list[Names]:
    """The sets in the value of a release; an error if it holds anything else."""
    if not isinstance(value, tuple) or not value or not all(map(_is_set, value)):
        raise InputError("A picture of subspaces needs a release whose value is sets of column names.")
    return list(value)


def checked_with_counts(value: object) -> tuple[list[Names], list[int]]:
    """The sets and their counts in the value of a release; an error if it holds anything else."""
    if not isinstance(value, tuple) or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in value):
        raise InputError("A picture of a report needs a release whose value is sets of column names with counts.")
    counts = [count for _, count in value]
    if not all(type(count) is int and 0 <= count <= _LARGEST_COUNT for count in counts):
        raise InputError(f"A picture of a report needs counts that are whole numbers from 0 to {_LARGEST_COUNT:,}.")
    return checked(tuple(names for names, _ in value)), counts


def draw(sets: Sequence[Names], counts: Sequence[int] | None, columns: Names) -> Figure:
    """A figure with a dot for each column in a set, joined by a line, and bars for the counts."""
    shown = sets[:MOST_SETS]
    known = _occurring(shown, columns)
    ratios = [_CELL * len(known) + 0.8] + [2.4] * (counts is not None)
    figure, grid = panels(1, len(ratios), max(sum(ratios) + 0.6, 6.0), _CELL * len(shown) + _below(known), ratios)
    _dots(grid[0], shown, known)
    if counts is not None:
        _bars(grid[1], counts[:MOST_SETS])
    return figure


def points_shown(named: Sequence[Sequence[Names]]) -> int:
    """For how many points there is room; at least one."""
    return max(1, MOST_SETS // max(map(len, named)))


def draw_by_point(named: Sequence[Sequence[Names]], columns: Names) -> Figure:
    """A figure with the sets of each point in the order drawn, and the number of the point, from 1."""
    sets = [names for one in named for names in one][:MOST_SETS]
    known = _occurring(sets, columns)
    figure, [axes] = panels(1, 1, max(_CELL * len(known) + 1.4, 6.0), _CELL * len(sets) + _below(known))
    _dots(axes, sets, known)
    firsts = [1 + sum(map(len, named[:point])) for point in range(len(named))]
    for rank in firsts[1:]:
        axes.axhline(rank - 0.5, color="0.6", lw=0.8)
    axes.set_yticks(firsts, [f"{number:,}" for number in range(1, len(firsts) + 1)])
    axes.set(ylabel="number of\nthe point")
    return figure


def _is_set(value: object) -> bool:
    return isinstance(value, tuple) and bool(value) and all(isinstance(name, str) for name in value)


def _occurring(sets: Sequence[Names], columns: Names) -> list[str]:
    """The columns that occur in some set, in the order of the table."""
    named = [name for names in sets for name in names]
    known = [name for name in dict.fromkeys((*columns, *named)) if name in set(named)]
    if len(known) > MOST_COLUMNS:
        raise InputError(
            f"The sets name {len(known):,} different columns, a picture has room for {MOST_COLUMNS}; read the value."
        )
    return known


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


def _bars(axes: Axes, counts: Sequence[int]) -> None:
    ranks = range(1, len(counts) + 1)
    axes.barh(ranks, counts, height=0.55, color=BLUE)
    for rank, count in zip(ranks, counts, strict=True):
        axes.annotate(
            f"{count:,}", (count, rank), xytext=(4, 0), textcoords="offset points", va="center", fontsize=9
        )  # fmt: skip
    axes.set(xlim=(0, 1.3 * max(*counts, 1)), xticks=[], xlabel="outliers, with noise")
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
