"""Simulated draws among the subspaces of a table that may be shown: many at a time, with a seed.

What a draw depends on, counts and profiles, is computed once with the functions that a release uses; the noise of the
center and the coins come from a seeded NumPy generator, so none of this is private. Tests and `benchmarks/agreement.py`
compare it with the real thing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log

import numpy as np
from numpy.typing import NDArray

from eremite.forecast.stand_in import StandIn
from eremite.mechanisms import SmoothLaplace
from eremite.outliers import OutlierDefinition, Subspaces
from eremite.outliers.counting import outliers_among
from eremite.queries import Progress
from eremite.queries.fit import relation_of
from eremite.queries.subspaces import MOST_STEPS, SubspacesPlan
from eremite.sensitivity import profile_function
from eremite.sensitivity.comparing import nth_largest, whole_steps
from eremite.sensitivity.relation import Relation
from eremite.sensitivity.windows import Method
from eremite.table import Part
from eremite.table.part import whole_part

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_NO_END = 2**62  # of a center, where the number of rows is private


@dataclass(frozen=True, slots=True)
class Field:
    """The subspaces of one table that may be drawn, and what a draw depends on."""

    n_rows: int  # no center is larger
    subspaces: list[tuple[int, ...]]
    counts: Ints
    most: Ints  # global sensitivities
    profiles: list[Ints]  # A^(t) up to the cap, for each subspace; empty if only the counts were computed
    coarse: list[Ints]  # the same by cores, for the bound of the center


def field(
    points: Floats,
    definition: OutlierDefinition,
    subspaces: Sequence[tuple[int, ...]],
    *,
    profiles: bool = True,
    progress: Progress | None = None,
) -> Field:
    """Compute what draws depend on, one subspace at a time; without `profiles`, only what the paper's utility needs."""

    def look(subspace: tuple[int, ...]) -> tuple[Part, OutlierDefinition]:
        return whole_part(np.ascontiguousarray(points[:, subspace])), definition

    relation = Relation("replace", len(points))
    return _field(look, relation, definition.min_neighbors, subspaces, profiles, progress)


def field_of(
    stand_in: StandIn, definition: OutlierDefinition, family: Subspaces, profiles: bool, progress: Progress | None
) -> Field:
    """The same for the candidates of a stand-in, with its rules, its strata and its relation between neighbors."""
    place = {name: at for at, name in enumerate(family.columns)}

    def look(subspace: tuple[int, ...]) -> tuple[Part, OutlierDefinition]:
        part = stand_in.rows.part([family.columns[at] for at in subspace], definition.within)
        return part, stand_in.scaled(definition, len(subspace))

    places = [tuple(place[name] for name in subspace) for subspace in family]
    return _field(look, relation_of(stand_in.table), definition.min_neighbors, places, profiles, progress)


def _field(
    look: Callable[[tuple[int, ...]], tuple[Part, OutlierDefinition]],
    relation: Relation,
    min_neighbors: int,
    subspaces: Sequence[tuple[int, ...]],
    profiles: bool,
    progress: Progress | None,
) -> Field:
    counts, fine, coarse = [], [], []
    for number, subspace in enumerate(subspaces, 1):
        part, definition = look(subspace)
        counts.append(outliers_among(part, definition))
        if profiles:
            fine.append(_profile(part, definition, relation, "auto"))
            coarse.append(_profile(part, definition, relation, "core"))
        if progress:
            progress(number)
    most = np.array([relation.cap(len(subspace), min_neighbors) for subspace in subspaces])
    return Field(largest_count(relation), list(subspaces), np.array(counts), most, fine, coarse)


def largest_count(relation: Relation) -> int:
    """No center is larger."""
    return relation.rows if relation.is_replacement else _NO_END


def _profile(part: Part, definition: OutlierDefinition, relation: Relation, method: Method) -> Ints:
    """A^(0), A^(1), ... until the cap, from where on it stays."""
    most = relation.cap(part.points.shape[1], definition.min_neighbors)
    size = profile_function(part.points, definition, most + 1, method, relation, part.starts)
    profile = [0]
    while profile[-1] < most:
        profile.append(size(len(profile) - 1))
    return np.array(profile[1:])


@dataclass(frozen=True, slots=True)
class Drawing:
    """How a plan draws its h winners. The center, if any, is half-way from the h-th largest count to the next."""

    utility: str
    selection: str
    h: int
    each: float  # epsilon of one draw
    center: Fraction | None = None  # epsilon of the center

    def picks(self, of: Field, runs: int, seed: int) -> Ints:
        """The places of the h winners, one row a run."""
        rng = np.random.default_rng(seed)
        scores = self._scores(of, runs, rng)
        return draws(np.broadcast_to(scores, (runs, len(of.counts))).copy(), self.each / 2, self.h, self.selection, rng)

    def _scores(self, of: Field, runs: int, rng: np.random.Generator) -> Floats:
        if self.utility == "paper":
            return of.counts / of.most
        if self.utility == "compared":
            return compared(of, self.h, self.each)
        if self.center is None:
            return dampened(of, np.zeros(1), self.each)
        falling = np.sort(of.counts)[::-1]
        target = (falling[self.h - 1] + falling[min(self.h, len(falling) - 1)]) // 2
        return dampened(of, noisy_centers(of, target, self.center, runs, rng), self.each)


def drawing_of(plan: SubspacesPlan) -> Drawing:
    """The drawing that a release with this plan does."""
    center = None if plan.center is None else plan.center.epsilon
    return Drawing(plan.utility, plan.selection, plan.h, float(plan.each), center)


def noisy_centers(of: Field, target: int, epsilon: Fraction, runs: int, rng: np.random.Generator) -> Floats:
    """One center for each run: the target with smooth Laplace noise, rounded and clamped as a release does."""
    noise = SmoothLaplace(epsilon)
    errors = _smooth_laplace(noise, runs, rng) * _largest_bound(of, float(noise.decay))
    return np.asarray(np.clip(np.rint(target + errors), 0, of.n_rows))


def _largest_bound(of: Field, decay: float) -> float:
    """The largest smooth bound of the family, as the center takes it."""
    return max(float((decay ** np.arange(len(profile)) * profile).max()) for profile in of.coarse)


def dampened(of: Field, centers: Floats, each: float) -> Floats:
    """The dampened score of every candidate for every center, where one draw has epsilon `each`."""
    limit = _limit(of, each)
    columns = []
    for count, profile in zip(of.counts, of.profiles, strict=True):
        above = _steps(np.maximum(count - centers, 0), profile)
        columns.append(above - _steps(np.maximum(centers - count, 0), np.append(profile[:limit], profile[-1])))
    return np.stack(columns, axis=1)


def compared(of: Field, h: int, each: float) -> Floats:
    """The compared score of every candidate, where one draw has epsilon `each`: its h-th smallest lead.

    The largest if all are named, as `Comparison` has it.
    """
    counts, limit = of.counts, min(_limit(of, each), MOST_STEPS, int(of.most.max()))
    scores, h = np.zeros(len(counts)), min(h, len(counts) - 1)
    if h == 0:
        return scores
    sizes = np.stack([_sizes(profile, limit) for profile in of.profiles])
    span = np.cumsum(sizes, axis=1) - sizes  # of 0 to `limit` steps
    low, high = counts[:, None] - span, counts[:, None] + span
    entered, left = nth_largest(low, h), nth_largest(high, h + 1)
    enters, leaves = whole_steps(entered - high), whole_steps(low - left)
    for i, count in enumerate(counts):
        if count < entered[0]:
            t = enters[i]
            scores[i] = -t - np.partition((low[:, t] - high[i, t]) / (sizes[:, t] + sizes[i, t]), -h)[-h]
        elif count > left[0]:
            t = leaves[i]
            others = np.delete((low[i, t] - high[:, t]) / (sizes[:, t] + sizes[i, t]), i)
            scores[i] = t + np.partition(others, h - 1)[h - 1]
    return scores


def _limit(of: Field, each: float) -> int:
    """As `SubspacesPlan.limit`."""
    return ceil(2 * log(10**6 * len(of.counts)) / each)


def _sizes(profile: Ints, limit: int) -> Ints:
    """A^(0), ..., A^(limit - 1), and the cap."""
    return np.concatenate([profile[:limit], np.full(limit + 1 - len(profile[:limit]), profile[-1])])


def _steps(gaps: Floats, profile: Ints) -> Floats:
    """D is piecewise linear, and so is its inverse; the last entry goes on."""
    span = np.concatenate([[0], np.cumsum(profile), [profile.sum() + profile[-1] * 10**9]])
    return np.asarray(np.interp(gaps, span, np.append(np.arange(len(profile) + 1), len(profile) + 10**9)))


def _smooth_laplace(noise: SmoothLaplace, runs: int, rng: np.random.Generator) -> Floats:
    """W: the half-width of a random share, on a random side."""
    sizes = np.array([noise.half_width(share) for share in rng.random(runs).tolist()])
    return np.asarray(sizes * rng.choice([-1, 1], runs))


def draws(scores: Floats, rate: float, h: int, selection: str, rng: np.random.Generator) -> Ints:
    """h draws from what is left, each the largest of the scores with fresh noise (claim E2, and Gumbel's trick)."""
    drawn = np.empty((len(scores), h), dtype=np.int64)
    for turn in range(h):
        noise = rng.gumbel(size=scores.shape) if selection == "exponential" else rng.exponential(size=scores.shape)
        drawn[:, turn] = (scores + noise / rate).argmax(axis=1)
        scores[np.arange(len(scores)), drawn[:, turn]] = -np.inf
    return drawn
