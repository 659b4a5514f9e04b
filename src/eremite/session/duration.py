"""About how long a question takes to compute, from public facts and the speed of this machine: no row is looked at.

How long it really takes depends on how the rows lie, and is private. The model is for rows which do not gather much: a
count takes some time for each row, which depends on the number of columns, and on whether about `min_neighbors` rows
can lie within the radius. Where far more do, or far fewer, a count is quick. `docs/speed.md` compares the model with
measured times.
"""

from functools import cache
from math import lgamma, log, pi
from time import perf_counter
from typing import assert_never

import numpy as np

from eremite.engines import workers
from eremite.outliers import OutlierDefinition
from eremite.outliers.subspaces import Subspaces
from eremite.queries.count import CountPlan
from eremite.queries.detection import DetectionPlan
from eremite.queries.explain import ExplainPlan
from eremite.queries.groups import CountByPlan
from eremite.queries.radius import RadiusPlan
from eremite.queries.report import ReportPlan
from eremite.queries.rows import RowsPlan
from eremite.queries.screening import ScreeningPlan
from eremite.queries.subspaces import SubspacesPlan
from eremite.table import Facts

AnyPlan = (
    CountPlan | CountByPlan | SubspacesPlan | ReportPlan | DetectionPlan | ExplainPlan | RadiusPlan | RowsPlan
    | ScreeningPlan
)  # fmt: skip

# Microseconds for each row, on a core that sorts `_SORTED` numbers in `_SORTING` seconds. By number of columns, the
# last one for more: the bound of a count where about `min_neighbors` rows are near.
_HARD = (0.1, 2.5, 15, 30, 60, 100)
_ALONE = (0.25, 0.3, 0.5)  # a count without the bound, asked alone; with more columns it takes as long as others
_DENSER = 8  # so many times denser, in each column, rows lie where they gather than if they lay anywhere
_FEW = 10  # so many times fewer than `min_neighbors`: hardly a row has that many neighbors
_MANY = 3  # so many times more: nearly every row has enough
_LOOKS = 3  # sets or radii that a search looks at as closely as a count does
_GROUP = 2e-3  # seconds for each group, however small
_PAIR = 1e-9  # seconds for each row, column and public point

_SORTED = 200_000
_SORTING = 0.010


def expected_seconds(plan: AnyPlan, facts: Facts) -> float:
    """About how long the planned question takes on this machine."""
    return _seconds(plan, max(1, facts.rows)) * _slowness()


def _seconds(plan: AnyPlan, rows: int) -> float:
    cores, d = workers.available(), len(plan.columns)
    match plan:
        case CountPlan():
            if plan.noise.decay is None and d <= len(_ALONE) and not plan.definition.within:
                return rows * _ALONE[d - 1] * 1e-6
            return _count(rows, d, plan.definition, plan.noise.decay is not None)
        case CountByPlan():
            each = _count(rows // len(plan.groups) + 1, d, plan.definition, plan.noise.decay is not None)
            return len(plan.groups) * (each + _GROUP)
        case SubspacesPlan():
            return _search(rows, plan.family, plan.definition, plan.h, cores, close=plan.utility != "paper")
        case ReportPlan():
            largest = plan.finding.family.largest
            counts = plan.finding.h * _count(rows, largest, plan.definition, bounded=True)
            return _seconds(plan.finding, rows) + counts
        case RadiusPlan():
            plain = sum(_count(rows, d, definition, bounded=False) for definition in plan.definitions)
            return plain + _LOOKS * max(_count(rows, d, one, bounded=True) for one in plan.definitions)
        case DetectionPlan():
            if plan.candidates is None:
                return _count(rows, d, plan.definition, bounded=False)
            return rows * d * len(plan.candidates) * _PAIR / cores
        case ExplainPlan():
            steps = d + sum(map(len, plan.family))
            return rows * steps * len(plan.points) * _PAIR / cores
        case RowsPlan() | ScreeningPlan():
            return 0.0
    assert_never(plan)


def _count(rows: int, d: int, definition: OutlierDefinition, bounded: bool) -> float:
    """A count of all rows, with the bound on what one row can change or without it."""
    k, anywhere = definition.min_neighbors, log(rows) + _log_volume(d, definition.radius)
    if anywhere > log(_MANY * k):  # so many rows are near if rows lie anywhere, and more where they gather
        return rows * 1e-6
    plain = rows * (1 + d) / 2 * 1e-6
    hard = bounded and anywhere + d * log(_DENSER) > log(k / _FEW)
    return plain + (rows * _HARD[min(d, len(_HARD)) - 1] * 1e-6 if hard else 0)


def _search(rows: int, family: Subspaces, definition: OutlierDefinition, h: int, cores: int, *, close: bool) -> float:
    """A glimpse of every set, on all cores, and a close look at those that may be drawn."""
    d = family.largest
    glimpses = family.count * _count(rows, d, definition, bounded=False) / min(cores, family.count)
    return glimpses + (h + _LOOKS) * _count(rows, d, definition, close)


def _log_volume(d: int, radius: float) -> float:
    """ln of the volume of the ball within which rows are neighbors, where all rows lie in a cube of volume 1."""
    return d / 2 * log(pi * d) + d * log(radius) - lgamma(d / 2 + 1) if radius > 0 else -float("inf")


@cache
def _slowness() -> float:
    """How many times longer than the machine of the constants this one takes to sort made-up numbers."""
    numbers = np.random.default_rng(1).random(_SORTED)
    times = []
    for _ in range(3):
        begin = perf_counter()
        np.sort(numbers)
        times.append(perf_counter() - begin)
    return min(times) / _SORTING
