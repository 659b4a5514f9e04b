"""The answers of a screen in the order asked, yes above and no below."""

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from eremite.charts import AnswersChart
from eremite.plots.look import BLACK, panels


def draw(chart: AnswersChart) -> Figure:
    """A figure with a dot for each candidate."""
    said, before = chart.said, chart.before
    figure, [axes] = panels(1, 1, 7.2, 2.3)
    numbers = range(before + 1, before + len(said) + 1)
    for answer, color in ((False, "0.6"), (True, BLACK)):
        shown = [number for number, one in zip(numbers, said, strict=True) if one is answer]
        axes.plot(shown, [int(answer)] * len(shown), "o", color=color, ms=8 if len(said) <= 60 else 4)
    axes.set(ylim=(-0.6, 1.6), xlabel="number of the candidate; the first is 1")
    axes.set_xlim(before + 0.5, before + len(said) + 0.5)
    axes.set_yticks([0, 1], ["no", "yes"])
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    return figure
