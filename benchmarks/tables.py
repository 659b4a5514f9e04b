"""The tables the benchmarks run on, and the radius for each regime."""

import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from scipy.spatial import cKDTree

from eremite import OutlierDefinition, Table
from eremite.outliers import count_outliers

DATA = Path(__file__).parents[2] / "shared" / "data" / "benchmarks"
K = 5
CAP = 105
RADII = {"mammography": 0.0335, "shuttle": 0.0022, "http": 0.0006}  # 1.5 to 2 % of the rows are outliers
REGIMES = {"A": "1 % of rows are outliers", "B": "1,000 neighbors a row", "C": "20 neighbors a row"}


@dataclass(frozen=True, slots=True)
class Case:
    """One table with the radius of one regime."""

    points: NDArray[np.float64]
    radius: float
    regime: str

    @property
    def euclidean(self) -> float:
        return float(self.radius * np.sqrt(self.points.shape[1]))


@dataclass(frozen=True, slots=True)
class Named:
    """A table with its radius, and what the output calls it."""

    name: str
    case: Case

    @property
    def definition(self) -> OutlierDefinition:
        return OutlierDefinition(min_neighbors=K, radius=self.case.radius)

    def opened(self) -> Table:
        """The table as a session takes it: its bounds are 0 and 1, so that scaling changes nothing."""
        names = [f"c{i}" for i in range(self.case.points.shape[1])]
        table = Table.from_frame(self.case.points, bounds=dict.fromkeys(names, (0, 1)))
        assert np.array_equal(table.points(), self.case.points)
        return table


def clusters(n: int, d: int, seed: int = 7, volume: int = 1) -> NDArray[np.float64]:
    """Twenty Gaussian clusters for each unit of volume, in a cube from 0; 1 % of the rows are uniform noise."""
    rng = np.random.default_rng(seed)
    noise, side = n // 100, volume ** (1 / d)
    centers = rng.uniform(0.15 * side, 0.85 * side, (20 * volume, d))
    rows = rng.normal(centers[rng.integers(0, len(centers), n - noise)], 0.03)
    return rng.permutation(np.clip(np.vstack([rows, rng.uniform(0, side, (noise, d))]), 0, side))


def sheet(n: int, d: int, seed: int = 11) -> NDArray[np.float64]:
    """Rows near a curved sheet of four dimensions, in columns scaled to [0, 1] of which every third one is coarse.

    Each row has a place on the sheet, four numbers that are rarer near their ends. A column is a weighted sum of the
    place plus a sine of another weighted sum, scaled to [0, 1]: all columns are correlated, none is a straight function
    of the others. A row leaves the sheet in a random direction, by 0.01 in each column times a factor of its own with
    a heavy tail (Student's t with three degrees of freedom): from ordinary rows to clear outliers there is no gap. The
    first column and every third one after it are rounded to eleven values.
    """
    rng = np.random.default_rng(seed)
    place = rng.beta(2, 3, (n, 4))
    straight, bent = rng.normal(0, 1, (2, 4, d))
    rows = place @ straight + np.sin(3 * place @ bent + rng.uniform(0, 2 * np.pi, d))
    rows = (rows - rows.min(axis=0)) / np.ptp(rows, axis=0)
    far = 0.01 / np.sqrt(rng.chisquare(3, (n, 1)) / 3)
    rows = np.clip(rows + far * rng.normal(0, 1, (n, d)), 0, 1)
    rows[:, ::3] = np.round(10 * rows[:, ::3]) / 10
    return np.ascontiguousarray(rows)


def real(name: str, radius: float) -> Case | None:
    """A public table scaled to [0, 1] by its own range, or None where its file is not there."""
    path = DATA / f"{name}.csv.gz"
    if not path.exists():
        return None
    with gzip.open(path, "rt") as file:
        rows = np.loadtxt(file, delimiter=",", skiprows=1)[:, :-1]
    return Case(np.ascontiguousarray((rows - rows.min(0)) / np.ptp(rows, axis=0)), radius, "real")


def real_tables(out: Console, *names: str) -> list[Named]:
    """The public tables of these names with their radii, those whose files are there."""
    found = {name: real(name, RADII[name]) for name in names}
    for name in (name for name, read in found.items() if read is None):
        out.print(f"The file of {name} is not there; its rows are left out.")
    return [Named(name, read) for name, read in found.items() if read is not None]


def case(points: NDArray[np.float64], regime: str) -> Case:
    """The table with the radius that the regime asks for."""
    if regime == "A":
        return outlying(points, 0.01)
    return Case(points, _typical_distance(points, {"B": 1000, "C": 20}[regime]), regime)


def outlying(points: NDArray[np.float64], share: float) -> Case:
    """The table with the radius at which this share of its rows are outliers.

    Bisected to a hundredth of the wanted number, or as near as the rows allow.
    """
    wanted, low, high = len(points) * share, _typical_distance(points, K), 1.0
    for _ in range(20):
        middle = float(np.sqrt(low * high))
        outliers = count_outliers(points, OutlierDefinition(min_neighbors=K, radius=middle))
        if abs(outliers - wanted) <= wanted / 100:
            return Case(points, middle, "A")
        low, high = (middle, high) if outliers > wanted else (low, middle)
    return Case(points, high, "A")


def _typical_distance(points: NDArray[np.float64], neighbors: int) -> float:
    """The median distance to the neighbor of this rank, over a sample."""
    found = cKDTree(points).query(points[:2000], k=min(neighbors + 1, len(points)), workers=-1)[0]
    return float(np.median(found[:, -1]) * (1 / np.sqrt(points.shape[1])))
