"""How often the candidates that are far out are all found: real calls on a table of clusters."""

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table as Grid

from benchmarks.tables import K
from eremite import OutlierDefinition, Session, Table

_ORDINARY, _FAR = 90, 10
_EPSILONS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 2.0)
_BAR = 0.99  # at epsilon 1 or less


def curve(out: Console, n: int, calls: int) -> bool:
    """The chance that h = 10 draws among 100 candidates name the ten that have no row near."""
    names, rng = ["x", "y"], np.random.default_rng(12)
    centers = rng.uniform(0.2, 0.8, (20, 2))
    table = Table.from_frame(np.clip(_drawn(rng, centers, n), 0, 1), bounds=dict.fromkeys(names, (0, 1)))
    far = np.column_stack([rng.uniform(0, 0.02, _FAR), rng.uniform(0, 1, _FAR)])
    candidates = np.vstack([_drawn(rng, centers, _ORDINARY), far])
    session, cleared = Session(table, epsilon=10**9), True
    title = f"Chance that all ten of 100 candidates are found, N = {n:,}, d = 2, k = {K}, {calls:,} calls each"
    grid = Grid("radius", "rows near an ordinary one", *(f"{e:g}" for e in _EPSILONS), "", title=title)
    for radius, barred in ((0.05, True), (0.02, False)):  # the smaller one shows where it ends
        near = _near(table.points(names), candidates[:_ORDINARY], radius)
        found = [_found(session, candidates, radius, epsilon, calls) for epsilon in _EPSILONS]
        met = max(share for share, epsilon in zip(found, _EPSILONS, strict=True) if epsilon <= 1) > _BAR
        cleared &= met or not barred
        seen = f"{near.min()} to {near.max()}, half above {int(np.median(near))}"
        grid.add_row(
            f"{radius:g}", seen, *(f"{share:.3f}" for share in found), ("met" if met else "missed") if barred else ""
        )
    out.print(grid)
    return cleared


def _drawn(rng: np.random.Generator, centers: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    return rng.normal(centers[rng.integers(0, len(centers), n)], 0.03)


def _near(points: NDArray[np.float64], candidates: NDArray[np.float64], radius: float) -> NDArray[np.int64]:
    squares = ((points[None, :, :] - candidates[:, None, :]) ** 2).sum(axis=2)
    return np.asarray((squares <= radius**2 * points.shape[1]).sum(axis=1))


def _found(session: Session, candidates: NDArray[np.float64], radius: float, epsilon: float, calls: int) -> float:
    definition = OutlierDefinition(min_neighbors=K, radius=radius)
    right = set(range(_ORDINARY, _ORDINARY + _FAR))
    drawn = (
        session.detect_outliers(definition, candidates=candidates, h=_FAR, epsilon=epsilon).value for _ in range(calls)
    )
    return sum(set(value) == right for value in drawn) / calls
