"""The smooth bound to expect where nothing is known of the rows but public facts.

The bound depends on how many rows with about k neighbors lie in one ball, so on what the densest and most even places
of a table look like at the scale of the radius. No public fact tells how dense a private table is there, and a radius
that fits one table fits another one not at all. So the radius of the question plays no part here: rows of three shapes
are made up as dense as makes about half of them outliers, where the bound is large, and the largest of the three bounds
counts, with a margin. What holds for few such rows holds for many, because only near rows matter; more rows have
slightly larger bounds, for being more. `benchmarks/forecasts.py` compares the outcome with real tables.

theory     here
S(X)       expected_bound, or less on nine tables of ten of the benchmark
A^(t)      expected_profile
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray

from eremite.outliers import OutlierDefinition
from eremite.sensitivity import count_with_bound, profile_function
from eremite.sensitivity.relation import Relation

#: Rows of each shape: as many as a second or two takes for the smallest epsilons.
ROWS = 500
#: Real tables in many columns lie near surfaces of few dimensions; bounds of rows that fill more are far too large.
_DIMENSIONS = 5
#: What is promised is larger than the largest bound found by this: real tables are less even than made-up ones.
_MARGIN = 1.2
# Beyond so many neighbors, one row stands for several: c copies of each row and c k neighbors have c times the profile
# in c times the steps.
_MOST_NEIGHBORS = 12
# Where changes are additions and removals, small epsilons take far longer; from here on the bound for replaced rows
# stands in, which is larger.
_SLOW_DECAY = 0.86
_STEPS = 12  # of a profile, before it goes on as a line
_MOST_STEPS = 100_000  # of the line, before the cap: no chance that matters is so many steps away
_SEED = 20150611
_LEAST_DECAY = 1e-300


def cautious_words(rows: int) -> str:
    """The rows in words, for a table of so many."""
    made = f"{min(rows, ROWS):,} made-up rows of each of three shapes"
    return f"{made}, about half of them outliers; the largest error, and a fifth more"


Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@lru_cache(maxsize=4096)
def expected_bound(min_neighbors: int, columns: int, decay: Fraction, relation: Relation) -> float:
    """The smooth bound to expect of a table of which nothing is known: rather too large. From public facts alone.

    Takes a second or two for the smallest epsilons, milliseconds for the usual ones, whatever the number of rows is.
    """
    copies = ceil(min_neighbors / _MOST_NEIGHBORS)
    k, fall = ceil(min_neighbors / copies), Fraction(max(float(decay) ** copies, _LEAST_DECAY))
    rows = max(min(ROWS, relation.rows // copies), k + 1)
    searched = Relation("replace", relation.rows) if fall > _SLOW_DECAY else relation
    largest = max(_bound(shape, rows, columns, k, fall, searched) for shape in _SHAPES)
    return min(_MARGIN * copies * largest, float(relation.most_moved(columns, min_neighbors)))


@lru_cache(maxsize=256)
def expected_profile(min_neighbors: int, columns: int, relation: Relation) -> Ints:
    """The profile A^(0), A^(1), ... to expect, up to its cap, made as the bound is; the first steps, then a line.

    With replaced rows whatever the relation is, which is more; capped as the relation has it.
    """
    copies = ceil(min_neighbors / _MOST_NEIGHBORS)
    k = ceil(min_neighbors / copies)
    replaced = Relation("replace", max(relation.rows, 2))
    rows, most = max(min(ROWS, relation.rows // copies), k + 1), relation.cap(columns, min_neighbors)
    seen = np.max([_first_sizes(shape, rows, columns, k, replaced) for shape in _SHAPES], axis=0)
    slope = max((seen[-1] - seen[0]) / (_STEPS - 1), 1)
    places = np.arange(min(ceil(most / slope) + _STEPS * copies, _MOST_STEPS)) / copies
    sizes = np.where(
        places < _STEPS - 1, np.interp(places, np.arange(_STEPS), seen), seen[-1] + slope * (places - _STEPS + 1)
    )
    profile = np.append(np.minimum(np.ceil(_MARGIN * copies * sizes).astype(np.int64), most), most)
    return np.asarray(profile[: int(np.argmax(profile == most)) + 1])


def _first_sizes(shape: "Shape", rows: int, columns: int, k: int, relation: Relation) -> list[int]:
    points, definition = _made_up(shape, rows, columns, k)
    size = profile_function(points, definition, _STEPS, relation=relation)
    return [size(step) for step in range(_STEPS)]


def _bound(shape: "Shape", rows: int, columns: int, k: int, decay: Fraction, relation: Relation) -> float:
    return float(count_with_bound(*_made_up(shape, rows, columns, k), decay, relation)[1])


def _made_up(shape: "Shape", rows: int, columns: int, k: int) -> tuple[Floats, OutlierDefinition]:
    """Rows, and the definition by which half of them are outliers."""
    rng = np.random.default_rng(_SEED)
    points = _turned_into(columns, shape(rng, rows, min(columns, _DIMENSIONS), k), rng)
    return points, OutlierDefinition(min_neighbors=k, radius=_half_are_outliers(points, k))


def _turned_into(columns: int, points: Floats, rng: np.random.Generator) -> Floats:
    """The same rows, as far from each other, in more columns; all within a cube of side 1."""
    if points.shape[1] < columns:
        points = points @ np.linalg.qr(rng.normal(size=(columns, points.shape[1])))[0].T
    points = points - points.min(axis=0)
    return np.ascontiguousarray(points / max(points.max(), np.finfo(float).tiny))


def _half_are_outliers(points: Floats, k: int) -> float:
    """The median distance to the k-th neighbor, on the scale of radii; next to none where rows share places."""
    squares = np.sum((points[:, None, :] - points[None, :, :]) ** 2, axis=2)
    distance = float(np.median(np.sqrt(np.partition(squares, k, axis=1)[:, k])))
    return min(max(distance / sqrt(points.shape[1]), 1e-9), 0.99)


Shape = Callable[[np.random.Generator, int, int, int], Floats]


def _normal(rng: np.random.Generator, n: int, d: int, k: int) -> Floats:
    """All densities, the smaller the further out."""
    return rng.normal(0, 1, (n, d))


def _uniform(rng: np.random.Generator, n: int, d: int, k: int) -> Floats:
    """One density everywhere, so that most rows are near the border between outliers and others."""
    return rng.uniform(0, 1, (n, d))


def _shared_places(rng: np.random.Generator, n: int, d: int, k: int) -> Floats:
    """k or k + 1 rows at each place, as in columns that have few values; a third of the places are outliers."""
    sizes = np.resize([k + 1, k, k + 1], n)
    places = np.repeat(np.arange(n), sizes)[:n]
    return rng.uniform(0, 1, (n, d))[places]


_SHAPES: tuple[Shape, ...] = (_normal, _uniform, _shared_places)
