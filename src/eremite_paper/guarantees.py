"""The limits of the paper's guarantees: explicit pairs of neighboring tables, and exact divergences.

paper                      here
Theorem 2                  certified up to some epsilon only
Theorem 4                  certified for every epsilon of the experiments
Algorithm 3, "epsilon-DP"  the ratio of chances on a pair, which must not exceed e^epsilon
z-scores                   a pair on which the count moves further than any bound allows
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from eremite.errors import InputError
from eremite.mechanisms import GlobalGaussian, PaperGaussian
from eremite.outliers import OutlierDefinition, count_outliers
from eremite.sensitivity import global_bounds
from eremite_paper.algorithm_3 import chances, utilities
from eremite_paper.datasets import Floats
from eremite_paper.scenario_1 import DELTA, EPSILONS
from eremite_paper.setting import Setting
from eremite_paper.tables import Row
from eremite_paper.z_scores import z_scored

COLUMNS = 21
_HUB = OutlierDefinition(min_neighbors=2, radius=0.11)


def parts(setting: Setting) -> list[Callable[[], list[Row]]]:
    """One part for each check; no number depends on the setting."""
    return [_drawn, _scaled, _certified]


def hub_tables() -> tuple[Floats, Floats]:
    """Two tables that differ in their first row alone.

    In each column that row is a neighbor of four other rows or of none. In the first table it has the four in all
    columns but the first, in the second table in the first column alone.
    """
    others = [0.4, 0.4, 0.6, 0.6, *[0.9] * 9]
    first, second = (
        np.column_stack([[0.5 if (column > 0) == late else 0.1, *others] for column in range(COLUMNS)])
        for late in (True, False)
    )
    return first, second


def ratio(exponent: float) -> float:
    """The ratio of the chances, on the two tables, that one draw with weights exp(exponent u) is the first column."""
    first, second = (chances(_utilities(table), exponent)[0] for table in hub_tables())
    return float(max(first / second, second / first))


def _utilities(table: Floats) -> Floats:
    counts = np.array([count_outliers(table[:, [column]], _HUB) for column in range(COLUMNS)])
    return utilities(counts, np.ones(COLUMNS, dtype=np.int64), len(table), _HUB.min_neighbors)


def _drawn() -> list[Row]:
    printed: Row = {"check": "algorithm 3 as printed", "epsilon": 1.0, "value": ratio(1), "limit": float(np.e)}
    return [printed, {"check": "algorithm 3, factor 2", "epsilon": 1.0, "value": ratio(1 / 2), "limit": float(np.e)}]


def scaled_tables() -> tuple[Floats, Floats]:
    """Two tables of the same grid of 49 rows and one more row: inside the grid, or far out."""
    grid = np.array([[x, y] for x in range(7) for y in range(7)], dtype=np.float64)
    return np.vstack([grid, [[3.5, 3.5]]]), np.vstack([grid, [[1e6, 1e6]]])


def _scaled() -> list[Row]:
    """k = 3, r = 0.1: the row far out stretches the scale, so that all rows of the grid become neighbors."""
    definition = OutlierDefinition(min_neighbors=3, radius=0.1)
    before, after = (count_outliers(z_scored(table), definition) for table in scaled_tables())
    most = global_bounds(50, 2, 3)[1]
    return [{"check": "z-scores", "epsilon": None, "value": abs(after - before), "limit": most}]


def _certified() -> list[Row]:
    """By the exact hockey-stick divergence: the last epsilon, in tenths up to 20, at which Theorem 2 holds,
    and whether Theorem 4 holds at every epsilon of the experiments.
    """
    delta = Fraction(str(DELTA))
    last = max(tenths for tenths in range(1, 201) if _holds(lambda e: GlobalGaussian(e, delta), Fraction(tenths, 10)))
    four = all(_holds(lambda e: PaperGaussian(e, delta), epsilon) for epsilon in EPSILONS)
    theorem_2: Row = {"check": "theorem 2", "epsilon": None, "value": last / 10, "limit": None}
    return [theorem_2, {"check": "theorem 4", "epsilon": 0.9, "value": int(four), "limit": None}]


def _holds(make: Callable[[Fraction], object], epsilon: Fraction) -> bool:
    try:
        make(epsilon)
    except InputError:
        return False
    return True
