"""What strata, rows left out and counts by group cost beside a plain count of the same rows.

Rows are in one of eleven wards, or of fifty groups, at random. There a row has fewer neighbors, so that the radius of
the plain count makes outliers of many rows; the radius with as many outliers as the plain count asks for the same work.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table as Grid

from benchmarks.clock import cpu_seconds, one_core
from benchmarks.tables import Case, K, Named, clusters, outlying, real_tables
from eremite import OutlierDefinition, Session, Table
from eremite.outliers.counting import outliers_among

MOST_RATIO = 1.2
MOST_RATIO_OF_GROUPS = 1.5
WARDS = [f"ward {i}" for i in range(11)]
GROUPS = [f"group {i}" for i in range(50)]
_GAPS = 20  # one row of so many has no value in the first column
_TIMES = 9
_NONE: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Question:
    """A count, how many outliers there are, and the place of the plain count that it is held against."""

    name: str
    outliers: int
    ask: Callable[[], object]
    beside: int
    bar: float | None


def run(out: Console, n: int, *, with_shuttle: bool) -> bool:
    """CPU seconds of private counts with rules, beside the plain count of the same rows, in turn."""
    grid = Grid(
        "table",
        "count",
        "outliers",
        "CPU seconds",
        "of a plain count",
        "bar",
        title="Strata, groups, and rows left out",
    )
    tables = [Named(f"N = {n:,}, d = 5", outlying(clusters(n, 5), 0.01))]
    tables += real_tables(out, "shuttle") if with_shuttle else []
    cleared = True
    for table in tables:
        with one_core():
            cleared &= _rows(grid, table)
    out.print(grid)
    return cleared


def _rows(grid: Grid, table: Named) -> bool:
    questions = _questions(table.case)
    seconds = _best([question.ask for question in questions])
    cleared = True
    for question, taken in zip(questions, seconds, strict=True):
        ratio = taken / seconds[question.beside]
        met = question.bar is None or ratio <= question.bar
        cleared &= met
        bar = "" if question.bar is None else f"{question.bar}x {'met' if met else 'missed'}"
        grid.add_row(table.name, question.name, f"{question.outliers:,}", f"{taken:.3f}", f"{ratio:.2f}x", bar)
    return cleared


def _questions(made: Case) -> list[Question]:
    rng = np.random.default_rng(17)
    wards, groups = (rng.choice(listed, len(made.points)) for listed in (WARDS, GROUPS))
    whole, gaps = rng.random(len(made.points)) >= 1 / _GAPS, made.points.copy()
    gaps[~whole, 0] = np.nan
    plain, kept = _table(made.points), _table(made.points[whole])
    split = _table(made.points, {"ward": wards, "group": groups})
    left_out = _table(gaps, missing={"c0": "leave-out"})
    return [
        _question("plain", plain, made.radius, 0, None),
        _question("within a ward, as many outliers", split, _radius_of(split, "ward", made), 0, MOST_RATIO, "ward"),
        _question("within a ward, the same radius", split, made.radius, 0, None, "ward"),
        _by_group("by 50 groups, as many outliers", split, _radius_of(split, "group", made)),
        _question("plain, of rows without gaps", kept, made.radius, 4, None),
        _question("rows with gaps left out", left_out, made.radius, 4, MOST_RATIO),
    ]


def _table(
    points: NDArray[np.float64], listed: Mapping[str, NDArray[np.str_]] = _NONE, missing: Mapping[str, str] = _NONE
) -> Table:
    columns = {f"c{i}": column for i, column in enumerate(points.T)}
    frame = columns | {name: values.tolist() for name, values in listed.items()}
    categories = {name: {"ward": WARDS, "group": GROUPS}[name] for name in listed}
    return Table.from_frame(frame, bounds=dict.fromkeys(columns, (0, 1)), categories=categories, missing=missing)


def _question(name: str, table: Table, radius: float, beside: int, bar: float | None, *within: str) -> Question:
    definition = OutlierDefinition(min_neighbors=K, radius=radius, within=within)
    session = Session(table, epsilon=100)
    outliers = outliers_among(table.part(None, within), definition)
    return Question(name, outliers, lambda: session.count_outliers(definition, epsilon=1), beside, bar)


def _by_group(name: str, table: Table, radius: float) -> Question:
    definition = OutlierDefinition(min_neighbors=K, radius=radius)
    session = Session(table, epsilon=100)
    outliers = outliers_among(table.part(None, ["group"]), definition)
    ask = partial(session.count_outliers_by, definition, by="group", epsilon=1)
    return Question(name, outliers, ask, 0, MOST_RATIO_OF_GROUPS)


def _radius_of(table: Table, within: str, plain: Case) -> float:
    """The radius with about as many outliers within strata as the plain table has."""
    part = table.part(None, [within])

    def outliers(radius: float) -> int:
        return outliers_among(part, OutlierDefinition(min_neighbors=K, radius=radius))

    wanted = outliers_among(table.part(), OutlierDefinition(min_neighbors=K, radius=plain.radius))
    low, high = plain.radius, 1.0
    for _ in range(20):
        middle = float(np.sqrt(low * high))
        low, high = (middle, high) if outliers(middle) > wanted else (low, middle)
    return high


def _best(works: list[Callable[[], object]]) -> list[float]:
    """The least CPU seconds of several runs of each, in turn, after one that compiles."""
    for work in works:
        work()
    return [float(least) for least in np.min([[cpu_seconds(work) for work in works] for _ in range(_TIMES)], axis=0)]
