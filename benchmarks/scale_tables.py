"""Public tables of many rows, in Parquet files, and the radius at which about 1 % of their rows are outliers.

clusters   thirty clusters of unequal sizes and widths; 1 % of the rows are anywhere
coarse     columns that follow two hidden numbers, half of them rounded to 51 values; 1 % of the rows are anywhere
skewed     half of the rows are in one place, and half of those are equal; the others are clusters
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from eremite import OutlierDefinition
from eremite.engines import count_neighbors
from eremite.outliers import count_outliers

Rows = NDArray[np.float64]

K = 10
SHARE = 0.01
SAMPLE = 200_000
_GROUP = 1 << 20  # rows of a row group, which are made at once
_CLUSTERS = 30
_LOW = K + 24  # rows with more neighbors do not matter for the bound at epsilon 1, in up to ten columns


@dataclass(frozen=True, slots=True)
class Written:
    """A table in a file with its description, and the public facts that the benchmark prints.

    `low` is the share of rows with fewer than k + 24 neighbors, from the sample.
    """

    description: Path
    shape: str
    rows: int
    columns: int
    radius: float
    low: float

    @property
    def bytes(self) -> int:
        """Of its numbers."""
        return 8 * self.rows * self.columns


def write(folder: Path, shape: str, rows: int, columns: int) -> Written:
    """Write a table and its description; the same files for the same numbers every time."""
    names = [f"c{place}" for place in range(columns)]
    schema = pa.schema([(name, pa.float64()) for name in names])
    with pq.ParquetWriter(folder / "table.parquet", schema, use_dictionary=False) as file:
        for start in range(0, rows, _GROUP):
            made = made_rows(shape, min(_GROUP, rows - start), columns, start)
            file.write_table(pa.table([np.ascontiguousarray(column) for column in made.T], schema=schema))
    description = folder / "table.toml"
    bounds = "\n".join(f"{name} = {{ min = 0, max = 1 }}" for name in names)
    description.write_text(f'[dataset]\nname = "{shape}"\nsource = "table.parquet"\n\n[columns]\n{bounds}\n')
    sample = made_rows(shape, min(SAMPLE, rows), columns, 0)
    radius = radius_of(sample)
    low = float(np.mean(count_neighbors(sample, radius, _LOW) < _LOW))
    return Written(description, shape, rows, columns, scaled(radius, len(sample), rows, columns), low)


def read(description: Path) -> Rows:
    """All rows of a written table."""
    table = pq.read_table(description.with_suffix(".parquet"))
    return np.ascontiguousarray(np.column_stack([column.to_numpy() for column in table.columns]))


def radius_of(sample: Rows) -> float:
    """The radius at which 1 % of the rows are outliers, bisected to a hundredth of that number or as rows allow."""
    low, high, wanted = 1e-6, 1.0, SHARE * len(sample)
    for _ in range(25):
        middle = float(np.sqrt(low * high))
        outliers = count_outliers(sample, OutlierDefinition(min_neighbors=K, radius=middle))
        if abs(outliers - wanted) <= wanted / 100:
            return middle
        low, high = (middle, high) if outliers > wanted else (low, middle)
    return high


def scaled(radius: float, sample: int, rows: int, columns: int) -> float:
    """The radius at which rows of a larger table have as many neighbors as those of a sample, to four digits."""
    return float(f"{radius * (sample / rows) ** (1 / columns):.4g}")


def made_rows(shape: str, rows: int, columns: int, seed: int) -> Rows:
    """Rows of a table, in any order; other rows for every seed."""
    rng = np.random.default_rng((11, seed))
    make = {"clusters": _clusters, "coarse": _coarse, "skewed": _skewed}[shape]
    return np.asarray(np.clip(rng.permutation(make(rng, rows, columns)), 0, 1))


def _clusters(rng: np.random.Generator, rows: int, columns: int) -> Rows:
    fixed = np.random.default_rng((7, columns))  # the same clusters for every part of a table
    centers, widths = fixed.uniform(0.1, 0.9, (_CLUSTERS, columns)), fixed.uniform(0.01, 0.04, _CLUSTERS)
    sizes = 1 / np.arange(1, _CLUSTERS + 1)
    anywhere = rows // 100
    member = rng.choice(_CLUSTERS, rows - anywhere, p=sizes / sizes.sum())
    near = centers[member] + widths[member, None] * rng.standard_normal((member.size, columns))
    return np.vstack([near, rng.uniform(0, 1, (anywhere, columns))])


def _coarse(rng: np.random.Generator, rows: int, columns: int) -> Rows:
    weights = np.random.default_rng((8, columns)).dirichlet((1, 1), columns).T
    anywhere = rows // 100
    hidden = rng.beta(2, 3, (rows - anywhere, 2))
    near = hidden @ weights + 0.01 * rng.standard_normal((len(hidden), columns))
    made = np.vstack([near, rng.uniform(0, 1, (anywhere, columns))])
    made[:, ::2] = np.round(made[:, ::2] * 50) / 50
    return made


def _skewed(rng: np.random.Generator, rows: int, columns: int) -> Rows:
    equal, close = rows // 4, rows // 4
    place = np.full(columns, 0.3)
    around = place + 0.001 * rng.standard_normal((close, columns))
    return np.vstack([np.tile(place, (equal, 1)), around, _clusters(rng, rows - equal - close, columns)])
