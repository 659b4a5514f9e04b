"""Pairs of tables with as many rows, which nobody may tell apart, and sessions on them."""

import io
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from eremite import OutlierDefinition, Session, Table
from eremite.outliers import count_outliers

N = 40
NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
DEFINITION = OutlierDefinition(min_neighbors=3, radius=0.02)
Rows = np.ndarray[Any, np.dtype[np.float64]]
Pair = tuple[Rows, Rows]


def neighbors(d: int) -> Pair:
    """One row leaves a group of four, which are no outliers with it and three outliers without."""
    rows = np.random.default_rng(d).uniform(0.7, 1, (N, d))
    rows[:15] = 0.5
    rows[15:19] = 0.1
    other = rows.copy()
    other[15] = 0.5
    return rows, other


def strangers(d: int) -> Pair:
    """All rows alike, and all rows alone."""
    return np.full((N, d), 0.5), np.linspace(0, 1, N)[:, None].repeat(d, axis=1)


PAIRS = [neighbors, strangers]


def names(rows: Rows) -> list[str]:
    return [f"c{i}" for i in range(rows.shape[1])]


def table_of(rows: Rows) -> Table:
    return Table.from_frame(rows, bounds=dict.fromkeys(names(rows), (0.0, 1.0)))


def session_on(rows: Rows, delta: str) -> Session:
    """The clock stands still, and request ids count up from 0."""
    numbers = count()
    return Session(
        table_of(rows), epsilon=10, delta=delta, clock=lambda: NEW_YEAR, new_id=lambda: f"{next(numbers):032x}"
    )


DESCRIPTION = """
[dataset]
name = "rows"
source = "rows.csv"
[budget]
epsilon = 0.7
delta = 1e-5
[columns]
"""


def write_dataset(folder: Path, rows: Rows) -> None:
    columns = "".join(f"{name} = {{ min = 0, max = 1 }}\n" for name in names(rows))
    (folder / "rows.toml").write_text(DESCRIPTION + columns)
    write_table(folder / "rows.csv", rows)


def write_table(path: Path, rows: Rows) -> None:
    text = io.StringIO()
    np.savetxt(text, rows, delimiter=",", header=",".join(names(rows)), comments="", fmt="%.17g")
    path.write_text(text.getvalue())


def exact(table: Table) -> int:
    return count_outliers(table.points(), DEFINITION)
