"""What pictures show, as frozen records of plain values, and these records as SVG for pages and notebooks.

A record is valid from birth, and draws nothing itself: `svg` writes it as one <svg> element, without any dependency;
`eremite.plots` draws the same record with matplotlib, for files and for further work. They show public values only.
"""

from eremite.charts.records import (
    AnswersChart,
    CandidatesChart,
    Chart,
    CountChart,
    ErrorsChart,
    GroupsChart,
    RadiiChart,
    SetsChart,
    SpendingChart,
)
from eremite.charts.svg import svg

__all__ = [
    "AnswersChart",
    "CandidatesChart",
    "Chart",
    "CountChart",
    "ErrorsChart",
    "GroupsChart",
    "RadiiChart",
    "SetsChart",
    "SpendingChart",
    "svg",
]
