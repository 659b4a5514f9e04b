"""Bounds on the global sensitivity, and tables that attain the lower ones (section 4.1 of the paper).

paper        here
2dk + 1      lower; attained by k rows at the end of each half-axis and one row in the middle that moves away
5k + 1       in two columns: k rows at each corner of a pentagon
kK_d + 1     upper, with proved upper bounds on the kissing number
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from eremite.outliers import OutlierDefinition, count_outliers
from eremite.sensitivity import global_bounds
from eremite_paper.datasets import Floats
from eremite_paper.setting import Setting
from eremite_paper.tables import Row

KS = (1, 3, 5)
DIMENSIONS = range(1, 25)
_ENDLESS = 10**12
_ARM = 0.99  # of the Euclidean radius, so that rounding decides nothing


def parts(setting: Setting) -> list[Callable[[], list[Row]]]:
    """One part for each k; no number depends on the setting."""
    return [partial(_part, k) for k in KS]


def _part(k: int) -> list[Row]:
    return [_row(d, k) for d in DIMENSIONS]


def _row(d: int, k: int) -> Row:
    lower, upper = global_bounds(_ENDLESS, d, k)
    pentagon = moved(_pentagon(), k) if d == 2 else None
    return {"d": d, "k": k, "lower": lower, "upper": upper, "attained": moved(_cross(d), k), "pentagon": pentagon}


def moved(corners: Floats, k: int) -> int:
    """The change of the count when the row in the middle, with k rows at each corner, moves far away."""
    d = corners.shape[1]
    definition = OutlierDefinition(min_neighbors=k, radius=1 / np.sqrt(d))
    rows = np.repeat(corners, k, axis=0)
    before, after = np.vstack([np.zeros(d), rows]), np.vstack([np.full(d, 9.0), rows])
    return abs(count_outliers(after, definition) - count_outliers(before, definition))


def _cross(d: int) -> Floats:
    return _ARM * np.vstack([np.eye(d), -np.eye(d)])


def _pentagon() -> Floats:
    angles = 2 * np.pi * np.arange(5) / 5
    return _ARM * np.column_stack([np.cos(angles), np.sin(angles)])
