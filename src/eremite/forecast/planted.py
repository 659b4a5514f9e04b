"""Made-up rows for the forecast of a search: some break a rule that ties a set of columns together.

In the other shapes all columns are alike, and which set of them has the most outliers is chance. Here every row keeps a
rule in each planted set: its columns take one of L levels each, and the levels add up to a multiple of L. So all
smaller parts of the set take all combinations of levels alike. A planted row breaks the rule of one set: in these
columns together it lies where no ordinary row does, and in every set of columns that leaves one of them out it is
ordinary. Some planted rows share a place, so the fewer neighbors an outlier may have, the fewer of them
are outliers.
"""

from collections.abc import Iterable, Sequence
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from eremite.forecast.graded import GRADED
from eremite.forecast.stand_in import SEED, StandIn, made_up, scaled_up
from eremite.outliers import Subspace, Subspaces
from eremite.queries.fields import SearchShape
from eremite.queries.fit import require_choice
from eremite.table import Facts, Table

SEARCH_SHAPES = get_args(SearchShape)
"""How rows to search can be made up."""
MOST_PLANTED_IN = 20_000
"""So many rows are made up with outliers planted among them."""
_MOST_PLANTED = 100  # in each set
_PLACES = 40  # that break the rule, at least; a hundred planted rows are two or three to a place
_GROUPS = 3  # that rows form in all other columns
_SPREAD = 0.02  # around a level


def made_up_for_search(family: Subspaces, h: int, facts: Facts, shape: SearchShape) -> StandIn:
    """Rows within the bounds of the private table, of the shape that was chosen: as many as it has, or fewer.

    Ordinary planted rows are in crowds in any case, so more of them would change nothing.
    """
    require_choice("shape", shape, SEARCH_SHAPES)
    if shape == "cautious":
        return StandIn(Table.for_planning(facts), GRADED, cautious=True)
    if shape != "planted":
        return made_up(facts, shape)
    n = min(facts.rows, MOST_PLANTED_IN)
    sets, place = _apart(family, h), {name: at for at, name in enumerate(facts.bounds)}
    places = [[place[name] for name in one] for one in sets]
    rows = scaled_up(_planted(np.random.default_rng(SEED), n, len(facts.bounds), places), facts)
    where = "in one set of columns" if len(sets) == 1 else f"in each of {len(sets)} sets of columns"
    planted = f"in groups, {_in_each(n, len(sets)):,} planted as outliers {where}"
    if n == facts.rows:
        return StandIn(rows, f"{n:,} made-up rows, {planted}")
    words = f"{n:,} made-up rows in place of {facts.rows:,}, {planted}"
    return StandIn(Table.for_planning(facts), words, rows)


def _apart(family: Subspaces, h: int) -> list[Subspace]:
    """The first h of the largest candidates of which no two share a column; fewer if there are not as many."""
    taken: list[Subspace] = []
    used: set[str] = set()
    for one in _largest(family):
        if used.isdisjoint(one):
            taken.append(one)
            used.update(one)
        if len(taken) == h:
            break
    return taken


def _largest(family: Subspaces) -> Iterable[Subspace]:
    """The largest candidates; of a family of all sets of a size, those of adjacent columns."""
    if family.chosen is not None:
        return [one for one in family.chosen if len(one) == family.largest]
    size, columns = family.largest, family.columns
    return (columns[start : start + size] for start in range(0, len(columns) - size + 1, size))


def _in_each(n: int, sets: int) -> int:
    """How many rows are planted in each set: one in a hundred, at least one, and so few that they are alone there."""
    return min(max(n // 100, 1), _MOST_PLANTED, n // sets)


def _planted(rng: np.random.Generator, n: int, d: int, sets: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    rows = rng.uniform(0.15, 0.85, (_GROUPS, d))[rng.integers(0, _GROUPS, n)]
    each = _in_each(n, len(sets))
    for turn, places in enumerate(sets):
        breaking = np.arange(turn * each, (turn + 1) * each)
        rows[:, places] = _ruled(rng, n, len(places), breaking)
    return rows + rng.uniform(-_SPREAD, _SPREAD, (n, d))


def _ruled(rng: np.random.Generator, n: int, size: int, breaking: NDArray[np.intp]) -> NDArray[np.float64]:
    """Levels between 0 and 1 that add up to a multiple of their number, but for the rows that break the rule."""
    count = next(count for count in range(2, _PLACES + 2) if count ** (size - 1) * (count - 1) >= _PLACES)
    levels, sums = rng.integers(0, count, (n, size)), np.zeros(n, dtype=np.int64)
    sums[breaking] = 1 + np.arange(len(breaking)) % (count - 1)
    levels[:, -1] = (sums - levels[:, :-1].sum(axis=1)) % count
    return np.asarray((levels + 0.5) / count)
