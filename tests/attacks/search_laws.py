"""The exact law of a search for subspaces: the center, and the winners in order.

More than is released, and still covered by the proof. The law of the center is that of the noise, clamped.
"""

import itertools
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
from flint import arb, ctx

from eremite import OutlierDefinition, Table
from eremite.engines import find_neighbors
from eremite.queries import SubspacesQuery
from eremite.queries.subspaces import family_among
from eremite.sensitivity import dampened, glimpse, lead, most_moved, profile_function
from tests.attacks.laws import LAWS, ordered_law
from tests.attacks.neighboring import profile_with, smooth
from tests.definition import core_by_definition, depth_by_definition, outliers_by_definition

STEPS = 6  # of a profile; as many as a walk on these tables takes, and the cap is reached before

FAMILY = ((0,), (1,), (0, 1))


@dataclass(frozen=True)
class Seen:
    """What the search knows of a table: counts, profiles and smooth bounds of its subspaces, their sizes, N and k."""

    counts: tuple
    profiles: tuple
    bounds: tuple
    sizes: tuple
    n: int
    k: int


def seen_by_library(points, k, radius, decay, family=FAMILY):
    looks = [_library_look(_rows_of(points, subspace), k, radius, decay) for subspace in family]
    return Seen(*zip(*looks, strict=True), tuple(map(len, family)), len(points), k)


def seen_with(mistake):
    """From the definitions written out, depth for the scores and the core for the bound of the center."""

    def seen(points, k, radius, decay, family=FAMILY):
        looks = [_definition_look(_rows_of(points, subspace), k, radius, decay, mistake) for subspace in family]
        return Seen(*zip(*looks, strict=True), tuple(map(len, family)), len(points), k)

    return seen


def _rows_of(points, subspace):
    """Sorted, so that what was seen once is known: the order of rows does not matter."""
    return tuple(sorted(map(tuple, points[:, subspace].tolist())))


@cache
def _library_look(rows, k, radius, decay):
    points, definition = np.array(rows), OutlierDefinition(min_neighbors=k, radius=radius)
    look, bound = glimpse(points, definition, decay, Fraction(0), find_neighbors)
    return look.outliers, _library_profile(rows, k, radius), bound


@cache
def _library_profile(rows, k, radius):
    size = profile_function(np.array(rows), OutlierDefinition(min_neighbors=k, radius=radius), STEPS)
    return tuple(size(step) for step in range(STEPS))


def remembered(bound):
    """Windows of small tables are few and come again and again."""
    known = {}

    def look(points, distance):
        key = points.tobytes(), points.shape, distance
        if key not in known:
            known[key] = bound(points, distance)
        return known[key]

    return look


depth, core = remembered(depth_by_definition), remembered(core_by_definition)


def _definition_look(rows, k, radius, decay, mistake):
    by_depth, by_core = (_definition_profile(rows, k, radius, bound, tuple(mistake.items())) for bound in (depth, core))
    return outliers_by_definition(rows, k, radius), by_depth, smooth(by_core, decay)


@cache
def _definition_profile(rows, k, radius, bound, mistake):
    """A step of size 0, which a mistake can make, is taken for 1: the walk would not end."""
    sizes = profile_with(np.array(rows), k, radius, STEPS, bound=bound, **dict(mistake))
    return tuple(max(size, 1) for size in sizes)


# The law of a search: an array over centers and winners in order.


@dataclass(frozen=True)
class Search:
    """What a plan decides, with a handle on each part where a mistake can sit."""

    epsilon: Fraction
    utility: str = "centered"
    selection: str = "permute-and-flip"
    h: int = 1
    factor: Fraction = Fraction(1, 2)  # of the exponent
    noisy: bool = True  # the center; without noise, nothing is spent on it
    bound_of: str = "family"  # or of the subspace whose count the center is: "one"

    def plan(self, n, k, radius):
        """The real one; what it spends on a draw and on the center is used as it is."""
        table = Table.from_frame(np.zeros((n, 2)), {"a": (0, 1), "b": (0, 1)})
        definition = OutlierDefinition(min_neighbors=k, radius=radius)
        family = family_among(table.columns, None, 2, None)
        return SubspacesQuery(
            definition=definition,
            subspaces=list(family),
            h=self.h,
            epsilon=self.epsilon,
            utility=self.utility,
            selection=self.selection,
        ).plan(table)


def joint_law(search, plan, seen):
    each = plan.each if search.noisy else search.epsilon / search.h
    centers = center_law(search, plan, seen)
    return np.array(
        [share * winners_law(plan.selection, scores_of(plan, seen, center), each * search.factor, search.h)
         for center, share in centers.items()]
    )  # fmt: skip


def center_law(search, plan, seen):
    """{center: probability}: the middle between the h-th largest count and the next, with noise, clamped."""
    if plan.center is None:
        return {0: 1.0}
    falling = sorted(range(len(seen.counts)), key=lambda i: -seen.counts[i])
    place = falling[search.h - 1]
    target = (seen.counts[place] + seen.counts[falling[min(search.h, len(falling) - 1)]]) // 2
    if not search.noisy:
        return {target: 1.0}
    bound = max(seen.bounds) if search.bound_of == "family" else seen.bounds[place]
    with ctx.workprec(128):
        below = [arb(0), *(plan.center.cumulative(y, target, bound) for y in range(seen.n)), arb(1)]
        return {y: float(high - low) for y, (low, high) in enumerate(itertools.pairwise(below))}


def scores_of(plan, seen, center):
    if plan.utility == "compared":
        return compared_scores(seen, plan.h, plan.limit)
    if plan.utility == "paper":
        most = [most_moved(seen.n, size, seen.k) for size in seen.sizes]
        return tuple(Fraction(q, moved) for q, moved in zip(seen.counts, most, strict=True))
    walks = zip(seen.counts, seen.profiles, seen.sizes, strict=True)
    return tuple(
        dampened(q - center, profile.__getitem__, plan.limit, most_moved(seen.n, size, seen.k))
        for q, profile, size in walks
    )


def compared_scores(seen, h, limit, lead=lead):
    """The h-th smallest lead of each count over the others; the largest if there are not as many."""
    facts = [
        (q, profile.__getitem__, most_moved(seen.n, size, seen.k))
        for q, profile, size in zip(seen.counts, seen.profiles, seen.sizes, strict=True)
    ]
    scores = []
    for i, (count, profile, most) in enumerate(facts):
        leads = sorted(lead(count - q, profile, sizes, limit, most + cap)
                       for j, (q, sizes, cap) in enumerate(facts) if j != i)  # fmt: skip
        scores.append(leads[min(h, len(leads)) - 1])
    return tuple(scores)


@cache
def winners_law(selection, scores, rate, h):
    return np.array([p for _, p in sorted(ordered_law(LAWS[selection], scores, rate, h).items())])
