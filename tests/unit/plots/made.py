"""Releases to draw, and what a figure of one says."""

from datetime import UTC, datetime
from fractions import Fraction

from matplotlib.text import Text

from eremite import OutlierDefinition, Release

PUBLIC = {
    "columns": ("bmi", "glucose"),
    "definition": OutlierDefinition(min_neighbors=5, radius=0.05),
    "epsilon": Fraction(1, 5),
    "delta": Fraction(0),
    "mechanism": "smooth-laplace",
    "request_id": "0123",
    "time": datetime(2026, 1, 2, tzinfo=UTC),
    "version": "0.1.0",
}
COLUMNS = ("bmi", "glucose", "age", "visits")
SETS = (("bmi", "glucose"), ("visits",), ("glucose", "visits"))


def release(query, value, **fields):
    return Release(**(PUBLIC | {"query": query, "value": value} | fields))


def made():
    """One release of every kind."""
    radii = ("share", "1/3"), ("radii", (0.01, 0.02, 0.04))
    return [
        release("count_outliers", 1212),
        release("top_subspaces", SETS, columns=COLUMNS, parameters=(("h", 3), ("max_size", 2), ("utility", "paper"))),
        release("outlier_report", tuple(zip(SETS, (900, 80, 7), strict=True)), columns=COLUMNS),
        release("detect_outliers", (16, 3, 8), parameters=(("h", 3), ("candidates", 20))),
        release(
            "explain_outlier",
            SETS,
            columns=COLUMNS,
            parameters=(("h", 3), ("max_size", 2), ("points", 1), ("penalty", 120)),
        ),
        release("choose_radius", 0.02, parameters=radii, definition=OutlierDefinition(min_neighbors=5, radius=0.02)),
        release("count_rows", 20_103, columns=(), definition=None, mechanism="global-laplace"),
        release("open_screen", (False, True, True), parameters=(("most_yes", 5), ("asked_before", 10))),
    ]


def words(figure):
    """All texts of a figure, in no order."""
    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


def marks(axes):
    """The points of all lines, one list for each line that has points."""
    return [line.get_xydata().tolist() for line in axes.lines if len(line.get_xydata())]
