"""Charts as matplotlib figures. A page and a notebook have the same records as SVG, from `eremite.charts`."""

from collections.abc import Callable
from typing import Any

from matplotlib.figure import Figure

from eremite.charts import (
    AnswersChart,
    CandidatesChart,
    Chart,
    CountChart,
    GroupsChart,
    RadiiChart,
    SetsChart,
)
from eremite.plots import answers, candidates, count, groups, radii, sets

_DRAWINGS: dict[type, Callable[[Any], Figure]] = {
    AnswersChart: answers.draw,
    CandidatesChart: candidates.draw,
    CountChart: count.draw,
    GroupsChart: groups.draw,
    RadiiChart: radii.draw,
    SetsChart: sets.draw,
}


def figure(chart: Chart) -> Figure:
    """The chart of a release as a figure, without title and footer."""
    return _DRAWINGS[type(chart)](chart)
