"""The tables of the paper's section 6, drawn with a seed.

Where the text leaves something open, we chose: Adult's seven columns are age, education-num, capital-gain,
capital-loss, hours-per-week, sex and race; rows with more than 50K are inliers; Adult 2 has 369 of them, as the paper's
table says and its text does not.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eremite.table import Table
from eremite_paper.files import Rows

Floats = NDArray[np.float64]

#: Public bounds: from the meaning of the columns, not from their values.
BOUNDS = {
    "age": (0, 100),
    "fnlwgt": (0, 1_500_000),
    "education-num": (0, 20),
    "capital-gain": (0, 100_000),
    "capital-loss": (0, 5_000),
    "hours-per-week": (0, 100),
}
_SEVEN = ("age", "education-num", "capital-gain", "capital-loss", "hours-per-week", "sex", "race")
_BINARY = {"sex": "Male", "race": "White"}


@dataclass(frozen=True, slots=True)
class Labeled:
    """Rows, and which of them the paper calls outliers."""

    points: Floats
    outlying: NDArray[np.bool_]


def synthetic_1(seed: int) -> Floats:
    """45 rows from N(0, I) and 5 from N((20, 20), 100 I); unscaled."""
    rng = np.random.default_rng(seed)
    return np.vstack([rng.normal(0, 1, (45, 2)), rng.normal(20, 10, (5, 2))])


def synthetic_2(seed: int, n: int = 500) -> Floats:
    """Ten columns; 98 % of the rows from N(0, I), the last 2 % from N(20, 100) in the first two of them; unscaled."""
    rng = np.random.default_rng(seed)
    few = n // 50
    rows = rng.normal(0, 1, (n, 10))
    rows[n - few :, :2] = rng.normal(20, 10, (few, 2))
    return rows


def grown(n: int, d: int, seed: int) -> Floats:
    """Synthetic 1 with more rows and columns: nine in ten from N(0, I), the others from N(20, 100 I)."""
    rng = np.random.default_rng(seed)
    return np.vstack([rng.normal(0, 1, (n - n // 10, d)), rng.normal(20, 10, (n // 10, d))])


def adult_1(rows: Rows, seed: int) -> Labeled:
    """45 rows with more than 50K and 5 with less, in seven columns; unscaled."""
    return _adult(rows, 45, 5, seed)


def adult_2(rows: Rows, seed: int) -> Labeled:
    """369 rows with more than 50K and 10 with less, in seven columns; unscaled."""
    return _adult(rows, 369, 10, seed)


def ionosphere(rows: Rows, seed: int) -> Labeled:
    """All 225 good rows and 10 bad ones in 34 columns, one of them constant; unscaled."""
    drawn = _drawn(rows, "class", (("g", 225), ("b", 10)), seed)
    points = np.array([[float(row[f"a{i}"]) for i in range(1, 35)] for row in drawn])
    return Labeled(points, np.arange(235) >= 225)


def within_bounds(points: Floats) -> Floats:
    """The seven columns of Adult scaled by public bounds, as a release scales them."""
    bounds = {name: (0, 1) if name in _BINARY else BOUNDS[name] for name in _SEVEN}
    return Table.from_frame(points, bounds=bounds).points()


def whole_adult(rows: Rows) -> Table:
    """All rows of Adult in its six numeric columns, with public bounds."""
    numbers = np.array([[float(row[name]) for name in BOUNDS] for row in rows])
    return Table.from_frame(numbers, bounds=BOUNDS)


def _adult(rows: Rows, more: int, less: int, seed: int) -> Labeled:
    train = [row for row in rows if row["split"] == "train"]
    drawn = _drawn(train, "income", ((">50K", more), ("<=50K", less)), seed)
    points = np.array([[_number(row, name) for name in _SEVEN] for row in drawn])
    return Labeled(points, np.arange(more + less) >= more)


def _number(row: dict[str, str], name: str) -> float:
    return float(row[name] == _BINARY[name]) if name in _BINARY else float(row[name])


def _drawn(rows: Rows, column: str, parts: tuple[tuple[str, int], ...], seed: int) -> Rows:
    """The given number of rows of each class, drawn at random."""
    rng = np.random.default_rng(seed)
    classes = [([row for row in rows if row[column] == label], count) for label, count in parts]
    return [rows[i] for rows, count in classes for i in rng.choice(len(rows), count, replace=False)]
