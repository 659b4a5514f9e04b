"""About how long a question takes to compute, from public facts and the speed of this machine: no row is looked at.

How long it really takes depends on how the rows lie, and is private. The model is for rows which do not gather much: a
count takes some time for each row, which depends on the number of columns, and on whether about `min_neighbors` rows
can lie within the radius. Where far more do, or far fewer, a count is quick. `docs/speed.md` compares the model with
measured times.
"""

from fractions import Fraction
from functools import cache
from math import log
from time import thread_time
from typing import assert_never

import numpy as np

from eremite.engines import workers
from eremite.outliers import OutlierDefinition
from eremite.outliers.subspaces import Subspaces
from eremite.privacy import Neighbors
from eremite.queries.choice import both_sides, log_volume, looks_for_degrees
from eremite.queries.count import CountPlan
from eremite.queries.detection import DetectionPlan
from eremite.queries.explain import ExplainPlan
from eremite.queries.groups import CountByPlan
from eremite.queries.radius import RadiusPlan
from eremite.queries.reach import ByReach, Capped, CappedPair
from eremite.queries.report import ReportPlan
from eremite.queries.rows import RowsPlan
from eremite.queries.screening import ScreeningPlan
from eremite.queries.subspaces import SubspacesPlan
from eremite.reach.covers import ratio_for
from eremite.reach.grid import MOST_COLUMNS as BLOCKS_UP_TO
from eremite.reach.lattice import covers_of_a_row
from eremite.sensitivity import changes_listed
from eremite.sensitivity.relation import Relation
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
# Seconds for each change that the search of a smooth bound lists: the smaller epsilon, the more.
_CHANGE: dict[Neighbors, float] = {"replace": 1e-5, "add-remove": 1e-6}
_LOOK = 5e-9  # seconds for each look at a row, where all neighbors are counted
_COVER = 2e-7  # seconds for each row and cover
_CROWDED = 0.02  # of the rows, those that are looked at in fine covers; _COARSER times fewer coarse ones hold a row
_COARSER = 4
_BLOCKS, _IN_BLOCKS = 1e-6, 0.1  # seconds for each row, to add up blocks; of the rows, those in blocks that are crowded
_GROUP = 2e-3  # seconds for each group, however small
_PAIR = 1e-9  # seconds for each row, column and public point
_DRAW = 5e-5  # seconds for each draw among so many points or sets, with what is said before it about its chances

_SORTED = 200_000
_SORTING = 0.010
_SORTS = 5


def expected_seconds(plan: AnyPlan, facts: Facts) -> float:
    """About how long the planned question takes on this machine."""
    return _seconds(plan, Relation(facts.neighbors, max(1, facts.rows))) * _slowness()


def _seconds(plan: AnyPlan, relation: Relation) -> float:
    cores, d, rows = workers.available(), len(plan.columns), relation.rows
    match plan:
        case CountPlan():
            if isinstance(plan.noise, ByReach):
                both = not isinstance(plan.noise, Capped)
                return _count(rows, d, plan.definition, bounded=False) + _capped(rows, d, plan.definition, both=both)
            if plan.noise.decay is None and d <= len(_ALONE) and not plan.definition.within:
                return rows * _ALONE[d - 1] * 1e-6
            count = _count(rows, d, plan.definition, plan.noise.decay is not None)
            return count + _bound(relation, d, plan.definition, plan.noise.decay)
        case CountByPlan():
            group = Relation("add-remove", rows // len(plan.groups) + 1)
            each = _count(group.rows, d, plan.definition, plan.noise.decay is not None)
            if isinstance(plan.noise, Capped | CappedPair):
                each += _capped(group.rows, d, plan.definition, both=isinstance(plan.noise, CappedPair))
            return len(plan.groups) * (each + _bound(group, d, plan.definition, plan.noise.decay) + _GROUP)
        case SubspacesPlan():
            search = _search(rows, plan.family, plan.definition, plan.h, cores, close=plan.utility != "paper")
            decay = plan.center.decay if plan.center else None
            bounds = plan.family.count * _bound(relation, plan.family.largest, plan.definition, decay)
            return search + bounds / min(cores, plan.family.count)
        case ReportPlan():
            largest = plan.finding.family.largest
            both = both_sides(relation, largest, plan.definition.radius)
            each = _count(rows, largest, plan.definition, bounded=True)
            each += _capped(rows, largest, plan.definition, both=both)
            return _seconds(plan.finding, relation) + plan.finding.h * each
        case RadiusPlan():
            plain = sum(_count(rows, d, definition, bounded=False) for definition in plan.definitions)
            return plain + _LOOKS * max(_count(rows, d, one, bounded=True) for one in plan.definitions)
        case DetectionPlan():
            if plan.candidates is None:
                return _count(rows, d, plan.definition, bounded=False)
            return rows * d * len(plan.candidates) * _PAIR / cores + plan.h * len(plan.candidates) * _DRAW
        case ExplainPlan():
            steps = d + sum(map(len, plan.family))
            return rows * steps * len(plan.points) * _PAIR / cores
        case RowsPlan() | ScreeningPlan():
            return 0.0
    assert_never(plan)


def _count(rows: int, d: int, definition: OutlierDefinition, bounded: bool) -> float:
    """A count of all rows, with the bound on what one row can change or without it."""
    k, anywhere = definition.min_neighbors, log(rows) + log_volume(d, definition.radius)
    if anywhere > log(_MANY * k):  # so many rows are near if rows lie anywhere, and more where they gather
        return rows * 1e-6
    plain = rows * (1 + d) / 2 * 1e-6
    hard = bounded and anywhere + d * log(_DENSER) > log(k / _FEW)
    return plain + (rows * _HARD[min(d, len(_HARD)) - 1] * 1e-6 if hard else 0)


def _capped(rows: int, d: int, definition: OutlierDefinition, *, both: bool) -> float:
    """Finding crowded places, if a part of the rows crowd.

    From above, all neighbors are counted, and all rows are looked at in coarse covers.
    """
    seconds = _CROWDED * rows * covers_of_a_row(d, ratio_for(d, rows)) * _COVER
    if both:
        seconds += looks_for_degrees(rows, d, definition.radius) * _LOOK
        covers, looked_at = covers_of_a_row(d, ratio_for(d, rows, "above")), float(rows)
        if d <= BLOCKS_UP_TO:
            seconds, looked_at = seconds + rows * _BLOCKS, rows * _IN_BLOCKS
        seconds += looked_at * (covers / _COARSER + _CROWDED * covers) * _COVER
    return seconds


def _bound(relation: Relation, d: int, definition: OutlierDefinition, decay: Fraction | None) -> float:
    """The search of a smooth bound through all changes of a table that it lists, beside its looks at rows."""
    if decay is None:
        return 0.0
    return changes_listed(relation, d, definition.min_neighbors, decay) * _CHANGE[relation.neighbors]


def _search(rows: int, family: Subspaces, definition: OutlierDefinition, h: int, cores: int, *, close: bool) -> float:
    """A glimpse of every set, on all cores, and a close look at those that may be drawn."""
    d = family.largest
    glimpses = family.count * _count(rows, d, definition, bounded=False) / min(cores, family.count)
    return glimpses + (h + _LOOKS) * _count(rows, d, definition, close) + h * family.count * _DRAW


@cache
def _slowness() -> float:
    """How many times longer than the machine of the constants this one takes to sort made-up numbers.

    In time of this thread on a core: what else the machine does at the moment would count for as long as we run.
    """
    numbers = np.random.default_rng(1).random(_SORTED)
    begin = thread_time()
    for _ in range(_SORTS):
        np.sort(numbers)
    return (thread_time() - begin) / _SORTS / _SORTING
