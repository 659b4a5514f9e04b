"""The radius that was drawn, within the public list it was drawn from."""

from matplotlib.figure import Figure

from eremite.charts import RadiiChart
from eremite.plots.look import BLACK, panels


def draw(chart: RadiiChart) -> Figure:
    """A figure with all radii as light dots, and the one drawn as a labeled dark dot."""
    radius, listed = chart.radius, chart.listed
    figure, [axes] = panels(1, 1, 7.2, 2.3)
    axes.spines[["left"]].set_visible(False)
    axes.plot(listed, [0] * len(listed), "o", color="0.75", ms=6)
    axes.plot([radius], [0], "o", color=BLACK, ms=10, zorder=3)
    axes.annotate(
        f"{radius:g}", (radius, 0), xytext=(0, 11), textcoords="offset points", ha="center", fontsize=13
    )  # fmt: skip
    axes.set(xscale="log", yticks=[], ylim=(-1, 1), xlabel="radius; light: the public list")
    axes.set_xlim(min(*listed, radius) / 1.25, max(*listed, radius) * 1.25)
    return figure
