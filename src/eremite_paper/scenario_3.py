"""Scenario 3: which points are outliers. The paper announces it without a method; this one is ours.

theory   here
u_c      minus the number of rows within r of a candidate; one replaced row moves it by at most 1
u_i      minus the degree of a row, capped at k, over k; the row itself can move it by the whole range

The table is Synthetic 2 in its two planted columns, with public bounds. Candidates are fresh points: 90 drawn like the
inliers, 10 like the outliers. `found` is the share of those ten that are among the ten drawn.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from eremite.engines import count_rows_near
from eremite.forecast.draws import draws
from eremite.outliers import OutlierDefinition, degrees
from eremite.table import Table
from eremite_paper.datasets import Floats, synthetic_2
from eremite_paper.setting import Setting
from eremite_paper.tables import Row

H = 10
EPSILONS = (0.2, 0.4, 0.8, 1.6, 3.2)
DEFINITION = OutlierDefinition(min_neighbors=5, radius=0.01)
PUBLIC_POINTS, ROWS = "public points", "rows of the table"
_BOUNDS = {"x": (-30, 70), "y": (-30, 70)}
_ORDINARY = 90
_RUNS = 100
_PAPERS = 500  # rows in the paper


def parts(setting: Setting) -> list[Callable[[], list[Row]]]:
    """One part for each draw of the table, with the paper's 500 rows and with more."""
    sizes = (_PAPERS, 2_000, 10_000) if setting.largest >= 10_000 else (_PAPERS,)
    return [partial(_part, n, setting.seed + draw) for n in sizes for draw in range(setting.draws)]


def _part(n: int, seed: int) -> list[Row]:
    rng = np.random.default_rng([seed, n])
    table = Table.from_frame(synthetic_2(seed, n)[:, :2], bounds=_BOUNDS)
    points = table.points()
    fresh = synthetic_2(seed + 10**6, 50 * H)[:, :2]
    candidates = table.scale(np.vstack([fresh[:_ORDINARY], fresh[-H:]]), table.columns)
    near = count_rows_near(candidates, points, DEFINITION.radius, n)
    lonely = -np.minimum(degrees(points, DEFINITION.radius), DEFINITION.min_neighbors) / DEFINITION.min_neighbors
    ours = {PUBLIC_POINTS: (-near.astype(np.float64), np.arange(_ORDINARY + H) >= _ORDINARY, "permute-and-flip")}
    if n == _PAPERS:
        ours[ROWS] = lonely, np.arange(n) >= n - n // 50, "exponential"
    return [
        {"candidates": name, "n": n, "seed": seed, "k": DEFINITION.min_neighbors, "r": DEFINITION.radius, "h": H,
         "epsilon": epsilon, "runs": _RUNS, "found": found, "by_chance": float(right.mean())}
        for name, (scores, right, selection) in ours.items()
        for epsilon, found in _found(scores, right, selection, rng)
    ]  # fmt: skip


def _found(
    scores: Floats, right: NDArray[np.bool_], selection: str, rng: np.random.Generator
) -> Iterator[tuple[float, float]]:
    """The share found at each epsilon, with the weights of `eremite.queries.detection`: exp(epsilon u / 2h) a draw."""
    for epsilon in EPSILONS:
        drawn = draws(np.tile(scores, (_RUNS, 1)), epsilon / H / 2, H, selection, rng)
        yield epsilon, float(right[drawn].mean())
