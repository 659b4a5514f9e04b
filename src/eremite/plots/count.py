"""One count on a number line from 0 and, if it is known, the error to expect."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from eremite.charts import CountChart
from eremite.plots.look import BLACK, BLUE, GRAY, panels

_LONG = 10**7  # numbers from here on are wide, so there are fewer ticks
_UNSAID = "the error depends on the rows, so the release does not give it; a forecast says what to expect"


def draw(chart: CountChart) -> Figure:
    """A figure with a dot and, if it is known how far off it may be, a bar around it, and what is said about that."""
    value = chart.value
    figure, [axes] = panels(1, 1, 7.2, 2.5)
    axes.plot([value], [0], "o", color=BLACK, ms=9, zorder=3)
    axes.annotate(f"{value:,}", (value, 0), xytext=(0, 11), textcoords="offset points", ha="center", fontsize=13)
    end = float(max(value, 10))
    if chart.interval is None:
        axes.text(0.5, 0.12, _UNSAID, transform=axes.transAxes, ha="center", fontsize=8.5, color=GRAY)
    else:
        low, high = chart.interval
        axes.plot([low, high], [0, 0], color=BLUE, lw=6, alpha=0.35, solid_capstyle="butt")
        end = max(end, high)
        axes.text(0.5, 0.12, chart.said, transform=axes.transAxes, ha="center", fontsize=8.5, color=BLUE)
    _number_line(axes, end)
    return figure


def _number_line(axes: Axes, end: float) -> None:
    axes.spines[["left"]].set_visible(False)
    axes.set(xlim=(-0.03 * end, 1.1 * end), ylim=(-1, 1), yticks=[], xlabel="rows")
    axes.xaxis.set_major_locator(MaxNLocator(6 if end < _LONG else 2, integer=True))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:,.0f}"))
