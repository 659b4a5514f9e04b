"""Counts by group as bars, in the declared order, with the error to expect where it is known."""

from collections.abc import Sequence

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from eremite.errors import InputError
from eremite.names import show_name
from eremite.plots.look import BLUE, panels
from eremite.plots.words import LONGEST_NAME

#: How many fit.
MOST_GROUPS = 60
_LARGEST_COUNT = 10**15
_LINE = 0.28  # inches


def draw(names: Sequence[str], counts: Sequence[int]) -> Figure:
    """A figure with a bar and its number for each group."""
    if not 0 < len(names) <= MOST_GROUPS:
        raise InputError(f"A picture of counts by group has room for 1 to {MOST_GROUPS} groups; read the value.")
    if not all(type(count) is int and 0 <= count <= _LARGEST_COUNT for count in counts):
        raise InputError(f"A picture of counts by group needs whole numbers from 0 to {_LARGEST_COUNT:,}.")
    figure, [axes] = panels(1, 1, 7.2, _LINE * len(names) + 1.5)
    ranks = range(len(names))
    axes.barh(ranks, counts, height=0.6, color=BLUE)
    for rank, count in zip(ranks, counts, strict=True):
        axes.annotate(f"{count:,}", (count, rank), xytext=(4, 0), textcoords="offset points", va="center", fontsize=9)
    axes.set_yticks(ranks, [show_name(name, LONGEST_NAME) for name in names], parse_math=False)
    axes.set(ylim=(len(names) - 0.4, -0.6), xlim=(0, 1.15 * max(*counts, 1)), xlabel="outliers, with noise")
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:,.0f}"))
    return figure
