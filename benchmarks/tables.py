"""The tables the benchmarks run on, and the radius for each regime."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from eremite.outliers import OutlierDefinition, count_outliers

K = 5
CAP = 105
REGIMES = {"A": "1 % of rows are outliers", "B": "1,000 neighbours a row", "C": "20 neighbours a row"}


@dataclass(frozen=True, slots=True)
class Case:
    """One table with the radius of one regime."""

    points: NDArray[np.float64]
    radius: float
    regime: str

    @property
    def euclidean(self) -> float:
        return float(self.radius * np.sqrt(self.points.shape[1]))


def clusters(n: int, d: int, seed: int = 7, volume: int = 1) -> NDArray[np.float64]:
    """Twenty Gaussian clusters for each unit of volume, in a cube from 0; 1 % of the rows are uniform noise."""
    rng = np.random.default_rng(seed)
    noise, side = n // 100, volume ** (1 / d)
    centres = rng.uniform(0.15 * side, 0.85 * side, (20 * volume, d))
    rows = rng.normal(centres[rng.integers(0, len(centres), n - noise)], 0.03)
    return rng.permutation(np.clip(np.vstack([rows, rng.uniform(0, side, (noise, d))]), 0, side))


def case(points: NDArray[np.float64], regime: str) -> Case:
    """The table with the radius that the regime asks for."""
    neighbours = {"A": K, "B": 1000, "C": 20}[regime]
    sample = points[:2000]
    distance = cKDTree(points).query(sample, k=min(neighbours + 1, len(points)), workers=-1)[0][:, -1]
    scale = 1 / np.sqrt(points.shape[1])
    if regime != "A":
        return Case(points, float(np.median(distance) * scale), regime)
    return Case(points, _radius_for_one_percent(points, float(np.median(distance) * scale)), regime)


def _radius_for_one_percent(points: NDArray[np.float64], low: float) -> float:
    """Bisect to a hundredth of the wanted number of outliers, or as near as the rows allow."""
    wanted, high = len(points) / 100, 1.0
    for _ in range(20):
        middle = float(np.sqrt(low * high))
        outliers = count_outliers(points, OutlierDefinition(min_neighbors=K, radius=middle))
        if abs(outliers - wanted) <= wanted / 100:
            return middle
        low, high = (middle, high) if outliers > wanted else (low, middle)
    return high
