"""The tables in which subspaces are looked for: the paper's, as far as its text tells, and planted ones."""

import csv
import gzip
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.tables import DATA

Floats = NDArray[np.float64]

_NUMBERS = ("age", "education-num", "capital-gain", "capital-loss", "hours-per-week")


def synthetic_2(seed: int) -> Floats:
    """The paper's: 490 rows from N(0, I) in ten columns, 10 from N(20, 100) in the first two of them; unscaled."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(0, 1, (500, 10))
    rows[490:, :2] = rng.normal(20, 10, (10, 2))
    return rows


def adult_2(seed: int) -> Floats | None:
    """369 rows with more than 50K and 10 with less, in seven columns, z-scored by themselves (not private)."""
    rows = _rows(DATA.parent / "adult.csv.gz")
    if rows is None:
        return None
    train = [row for row in rows if row["split"] == "train"]
    drawn = _drawn(train, "income", ((">50K", 369), ("<=50K", 10)), seed)
    numbers = [[float(row[name]) for name in _NUMBERS] for row in drawn]
    binary = [[float(row["sex"] == "Male"), float(row["race"] == "White")] for row in drawn]
    return _scored(np.hstack([numbers, binary]))


def ionosphere(seed: int) -> Floats | None:
    """All 225 good rows and 10 bad ones in 34 columns, z-scored by themselves (not private); one is constant."""
    rows = _rows(DATA.parent / "ionosphere.csv.gz")
    if rows is None:
        return None
    drawn = _drawn(rows, "class", (("g", 225), ("b", 10)), seed)
    return _scored(np.array([[float(row[f"a{i}"]) for i in range(1, 35)] for row in drawn]))


def planted(n: int, size: int, levels: int, wrong: int, seed: int = 11) -> Floats:
    """Eight columns; in the first `size`, and only in all of them together, `wrong` rows are where no others are.

    Every column has levels, the last of the planted ones the sum of the others. 3 % of the rows are uniform noise and
    give every subspace outliers.
    """
    rng = np.random.default_rng(seed)
    regular, counts = n - 3 * n // 100, np.array([levels] * size + [2] * (8 - size))
    level = rng.integers(0, counts, (regular, 8))
    level[:, size - 1] = level[:, : size - 1].sum(axis=1) % levels
    level[:wrong, size - 1] = (level[:wrong, size - 1] + rng.integers(1, levels, wrong)) % levels
    rows = 0.1 + 0.8 * level / (counts - 1) + rng.normal(0, 0.02, (regular, 8))
    return rng.permutation(np.clip(np.vstack([rows, rng.uniform(0, 1, (n - regular, 8))]), 0, 1))


@cache
def _rows(path: Path) -> list[dict[str, str]] | None:
    if not path.exists():
        return None
    with gzip.open(path, "rt") as file:
        return list(csv.DictReader(file))


def _drawn(
    rows: list[dict[str, str]], column: str, parts: tuple[tuple[str, int], ...], seed: int
) -> list[dict[str, str]]:
    """So many rows of each class, at random."""
    rng = np.random.default_rng(seed)
    classes = [([row for row in rows if row[column] == label], count) for label, count in parts]
    return [rows[i] for rows, count in classes for i in rng.choice(len(rows), count, replace=False)]


def _scored(rows: Floats) -> Floats:
    spread = rows.std(axis=0)
    return np.ascontiguousarray((rows - rows.mean(axis=0)) / np.where(spread > 0, spread, 1))
