"""Counts by group as bars, in the declared order."""

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from eremite.charts import GroupsChart
from eremite.charts.records import MOST_GROUPS
from eremite.charts.words import LONGEST_NAME
from eremite.names import show_name
from eremite.plots.bars import draw_counts, label_of
from eremite.plots.look import panels

_LINE = 0.28  # inches


def draw(chart: GroupsChart) -> Figure:
    """A figure with a bar and its number for each group."""
    names, counts = chart.names[:MOST_GROUPS], chart.counts[:MOST_GROUPS]
    figure, [axes] = panels(1, 1, 7.2, _LINE * len(names) + 1.5)
    ranks = range(len(names))
    furthest = draw_counts(axes, ranks, counts, chart.ends)
    axes.set_yticks(ranks, [show_name(name, LONGEST_NAME) for name in names], parse_math=False)
    axes.set(ylim=(len(names) - 0.4, -0.6), xlim=(0, 1.15 * furthest), xlabel=label_of(chart.ends))
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:,.0f}"))
    return figure
