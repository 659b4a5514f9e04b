"""The candidates that were drawn: their numbers over the order drawn, which stays legible for many candidates."""

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from eremite.charts import CandidatesChart
from eremite.charts.records import MOST_CANDIDATES
from eremite.plots.look import BLACK, panels

_CELL = 0.28  # inches


def draw(chart: CandidatesChart) -> Figure:
    """A figure with a dot for each place, the first drawn on top. Labels count candidates from 1."""
    shown = [place + 1 for place in chart.places[:MOST_CANDIDATES]]
    ranks = range(1, len(shown) + 1)
    figure, [axes] = panels(1, 1, 7.2, _CELL * len(shown) + 1.9)
    axes.hlines(ranks, 0, shown, color="0.85", lw=1.5)
    axes.plot(shown, ranks, "o", color=BLACK, ms=7, zorder=3)
    for candidate, rank in zip(shown, ranks, strict=True):
        axes.annotate(
            f"{candidate:,}", (candidate, rank), xytext=(8, 0), textcoords="offset points", va="center", fontsize=9
        )  # fmt: skip
    end = max(*shown, chart.number or 1)
    axes.set(xlim=(0, 1.08 * end + 0.5), xlabel="number of the candidate; the first is 1", ylabel="order drawn")
    axes.set_ylim(len(shown) + 0.6, 0.4)
    axes.set_yticks(ranks)
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda candidate, _: f"{candidate:,.0f}"))
    return figure
