"""Counts as bars that lie, each with its number, and with a line between the ends that are guaranteed for it."""

from collections.abc import Sequence

from matplotlib.axes import Axes

from eremite.charts.records import Ends
from eremite.plots.look import BLACK, BLUE

_FADED = 0.45


def draw_counts(axes: Axes, ranks: Sequence[int], counts: Sequence[int], ends: Ends) -> float:
    """Draw them at these heights, and say how far they reach; 1 at least."""
    shown = ends[: len(counts)] or (None,) * len(counts)
    axes.barh(ranks, counts, height=0.6, color=BLUE, alpha=_FADED if any(shown) else 1)
    for rank, count, between in zip(ranks, counts, shown, strict=True):
        if between is not None:
            axes.plot(between, (rank, rank), color=BLACK, lw=1.6, solid_capstyle="butt")
        place = count if between is None else max(count, between[1])
        axes.annotate(f"{count:,}", (place, rank), xytext=(4, 0), textcoords="offset points", va="center", fontsize=9)
    return max(*counts, 1, *(between[1] for between in shown if between))


def label_of(ends: Ends) -> str:
    """What the bars are, and the lines."""
    return "outliers; lines: true counts" if any(ends) else "outliers, with noise"
