"""Smooth bound on the local sensitivity of the outlier count (claims S1 to S3).

paper      here
A^(t)(X)   Windows.turned(t) + t + 1, capped
rho        decay        the bound may change by at most 1/decay between neighbors
S(X)       the returned fraction
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, inf, log, log1p

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eremite.engines import FindNeighbors
from eremite.errors import InputError
from eremite.outliers import OutlierDefinition, checked_points
from eremite.sensitivity.global_sensitivity import global_bounds, most_moved
from eremite.sensitivity.windows import Method, Windows, limits_for, windows

# Logarithms decide which steps are worth an exact look. They err by less than this, and a tie gets the look.
_SLACK = 1e-9

# Beyond these, rates and their logarithms would not be floats.
_LEAST_DECAY = Fraction(1, 10**300)

# Steps up to so many times the first open one share the work of sorting out which rows may matter.
_BLOCK = 2

# And so do steps whose windows have at most so many times as many rows. If they are many, the last one is looked at
# first: what it tells of edges holds for all of them.
_ALIKE_ROWS = 1.3
_MANY_STEPS = 10

# After so many blocks the best value is hardly beaten any more, and late steps can be closed by coarse counts; another
# one is worth it if no more than this part of the steps was left open.
_FIRST_BLOCKS = 2
_FEWER = 0.8

# Steps share a look if their floors are at most about so many times that of the first.
_ALIKE = 1.5


def smooth_bound(
    points: ArrayLike, definition: OutlierDefinition, decay: Fraction, method: Method = "auto"
) -> Fraction:
    """S(X) = max over all t of decay^t A^(t)(X), exactly.

    At least the local sensitivity, and between tables that differ in one row it changes by at most the factor
    1 / decay. Steps are evaluated best first and skipped where a bound says they cannot win; the result is the plain
    maximum. As private as the rows.
    """
    if type(decay) is not Fraction or not _LEAST_DECAY <= decay <= 1 - _LEAST_DECAY:
        raise InputError("decay must be a Fraction above 0 and below 1, by 1e-300 at least.")
    rows = checked_points(points)
    if len(rows) == 0:
        return Fraction(0)
    most = global_bounds(len(rows), rows.shape[1], definition.min_neighbors)[1]
    last = last_useful_step(most, decay)
    return _searched(windows(rows, definition, last + 1, method, most), decay, last).best


def count_with_bound(
    points: NDArray[np.float64], definition: OutlierDefinition, decay: Fraction
) -> tuple[int, Fraction]:
    """q(X) and S(X) of a table's points, as a release uses them: degrees counted once, the cap of `most_moved`.

    As private as the rows.
    """
    n, d = points.shape
    if n == 0:
        return 0, Fraction(0)
    most = most_moved(n, d, definition.min_neighbors)
    last = last_useful_step(most, decay)
    seen = windows(points, definition, last + 1, "auto", most)
    return seen.outliers, _searched(seen, decay, last).best


@dataclass(frozen=True, slots=True)
class Glimpse:
    """What is kept of one subspace of many: its count, and bounds on its profile that cost nothing more."""

    outliers: int
    most: int
    ceiling: NDArray[np.int64]  # f(W(t)) or the cap, whichever is less; or more

    def upper(self, step: int) -> int:
        """A^(step), or more."""
        return min(self.most, int(self.ceiling[step]) + step + 1) if step < len(self.ceiling) else self.most

    def lower(self, step: int) -> int:
        """A^(step), or less."""
        return min(self.most, step + 1)


def glimpse(
    points: NDArray[np.float64],
    definition: OutlierDefinition,
    decay: Fraction,
    known: Fraction,
    find: FindNeighbors,
) -> tuple[Glimpse, Fraction]:
    """The count of one subspace and bounds on its profile; and the larger of S(X) and `known`, by cores.

    Over a family of subspaces, handing on the largest bound known so far gives the largest of all, at little cost.
    As private as the rows.
    """
    n, d = points.shape
    most = most_moved(n, d, definition.min_neighbors)
    last = last_useful_step(most, decay)
    seen = windows(points, definition, last + 1, "core", most, find, limits_for(n))
    search = _searched(seen, decay, last, known)
    return Glimpse(seen.outliers, most, search.ceiling), search.best


def smallest_bound(most: int, decay: Fraction) -> tuple[int, float]:
    """The step t that maximizes decay^t min(t + 1, most), and about this maximum; public (claim S3)."""
    step = min(most - 1, max(0, round(1 / _fall(decay)) - 1))
    return step, exp(-_fall(decay) * step) * (step + 1)


def smooth_bound_of_line(growth: Fraction, most: int, decay: Fraction) -> float:
    """About the smooth bound of a table whose profile is min(growth (t + 1), most)."""
    full = ceil(most / growth) - 1  # the step where the line ends
    steps = {max(0, full - 1), full, *(min(full, max(0, round(1 / _fall(decay)) + off)) for off in (-2, -1, 0))}
    return max(exp(-_fall(decay) * step) * min(float(growth * (step + 1)), most) for step in steps)


def last_useful_step(most: int, decay: Fraction) -> int:
    """A step beyond which no table's maximum lies (claim S3); from public facts only.

    A^(t) >= min(t + 1, most), so S is at least what `smallest_bound` has, while decay^t A^(t) <= decay^t most.
    """
    step, _ = smallest_bound(most, decay)
    return step + 1 + ceil(log(most / (step + 1)) / _fall(decay) * (1 + _SLACK))


def _fall(decay: Fraction) -> float:
    """-ln(decay), to all digits also when decay is close to 1."""
    return -log1p(-float(1 - decay)) if decay > Fraction(1, 2) else -log(decay)


def _log(number: Fraction) -> float:
    """ln, from the leading digits: the logarithms of very long numbers would cancel."""
    above, below = number.as_integer_ratio()
    cut, its_cut = (max(0, part.bit_length() - 128) for part in (above, below))
    return log(above >> cut) - log(below >> its_cut) + (cut - its_cut) * log(2)


def _searched(seen: Windows, decay: Fraction, last: int, known: Fraction = Fraction(0)) -> "_Search":
    """The search at its end: its best is S(X), or `known` if that is more."""
    search = _Search.over(seen, decay, last)
    search.keep(known)
    blocks = 0
    while (left := search.open_steps()).size:
        if blocks == _FIRST_BLOCKS:
            search.close_late_steps()
            left = search.open_steps()
        if left.size:
            search.look_at(search.block(left))
        blocks += 1
    return search


@dataclass(slots=True)
class _Search:
    """Best first over t. f never falls as t grows: one evaluated step bounds the steps on both sides of it."""

    seen: Windows
    decay: Fraction
    fall: float
    promise: NDArray[np.float64]  # ln of the most that a step can be worth; -inf once evaluated
    ceiling: NDArray[np.int64]  # f(W(t)) or the cap, whichever is less; or more
    base: NDArray[np.int64]  # the same, or less
    best: Fraction = Fraction(0)
    best_log: float = -inf

    @classmethod
    def over(cls, seen: Windows, decay: Fraction, last: int) -> "_Search":
        ceiling = np.full(last + 1, seen.most)
        promise = log(seen.most) - _fall(decay) * np.arange(last + 1, dtype=np.float64)
        return cls(seen, decay, _fall(decay), promise, ceiling, np.zeros(last + 1, dtype=ceiling.dtype))

    def _is_open(self) -> NDArray[np.bool_]:
        """For each step whether it may be worth more than the best so far."""
        return self.promise > self.best_log - _SLACK

    def open_steps(self) -> NDArray[np.intp]:
        return np.flatnonzero(self._is_open())

    def close_late_steps(self) -> None:
        """Count around the rows of the last open step, as long as that closes many: a group must be large there."""
        while (left := self.open_steps()).size > 1:
            last = int(left[-1])
            self._lower_ceilings(last, min(self.seen.crowd_bound(last), self.seen.most))
            if self.open_steps().size > _FEWER * left.size:
                return

    def block(self, left: NDArray[np.intp]) -> NDArray[np.intp]:
        """The first open steps: those that lie not much further away, or have hardly more rows."""
        first = left[left <= _BLOCK * (left[0] + 1)]
        rows = _ALIKE_ROWS * self.seen.size(int(first[-1]))
        return left[: max(first.size, sum(self.seen.size(step) <= rows for step in left.tolist()))]

    def look_at(self, block: NDArray[np.intp]) -> None:
        """Find which of these steps wins, if any: the rows that may matter for them are sorted out once (claim L5)."""
        seen, last = self.seen, int(block[-1])
        if block.size > 1:
            seen = seen.narrowed(last, self._lowest_floor(block), looks=block.size)
        if block.size >= _MANY_STEPS and seen.size(last) <= _ALIKE_ROWS * seen.size(int(block[0])):
            self.evaluate(seen, block)
        while (block := block[self._is_open()[block]]).size:
            self.evaluate(seen, self.most_telling(block))

    def most_telling(self, left: NDArray[np.intp]) -> NDArray[np.intp]:
        """The step to look at next, and before it those of the open steps that the same look may close.

        It is the middle one of the steps of which as much is known as of the most promising one: few in one ball there
        close the lower half of them, as many as there may be give the value of the upper half.
        """
        like: NDArray[np.intp] = left[self.ceiling[left] == self.ceiling[left[self.promise[left].argmax()]]]
        most = _ALIKE * self._floor(int(like[0])) + 1  # a look takes longer the lower the floor
        like = like[[self._floor(step) <= most for step in like.tolist()]]
        return like[: like.size // 2 + 1]

    def _lowest_floor(self, steps: NDArray[np.intp]) -> int:
        return min(map(self._floor, steps.tolist()))

    def _floor(self, step: int) -> int:
        """A step with no more than this in one ball does not win."""
        floor = exp(min(self.best_log + self.fall * step, 600)) * (1 - _SLACK) - step - 1
        return max(0, int(min(floor, self.seen.most)))

    def evaluate(self, seen: Windows, wanted: NDArray[np.intp]) -> None:
        """Look at the last of these steps, no closer than it takes to see that none of them wins."""
        step, floor = int(wanted[-1]), self._lowest_floor(wanted)
        bound = min(seen.turned(step, floor), seen.most)
        self._lower_ceilings(step, bound)
        if bound > floor:
            np.maximum(self.base[step:], bound, out=self.base[step:])
        self._keep_known()
        self.promise[step] = -inf

    def _keep_known(self) -> None:
        """Take the values of steps whose f is known, the best of them first: few of the others are still open then."""
        while (known := self._known()).size:
            step = int(known[self.promise[known].argmax()])
            self.keep(self.decay**step * min(int(self.base[step]) + step + 1, self.seen.most))
            self.promise[step] = -inf

    def _known(self) -> NDArray[np.intp]:
        return np.flatnonzero(self._is_open() & (self.base == self.ceiling))

    def keep(self, value: Fraction) -> None:
        """Take a value that is larger than the best so far."""
        if value > self.best:
            self.best, self.best_log = value, _log(value)

    def _lower_ceilings(self, step: int, bound: int) -> None:
        below = slice(0, step + 1)
        np.minimum(self.ceiling[below], bound, out=self.ceiling[below])
        steps = np.arange(step + 1)
        sizes = np.minimum(self.ceiling[below] + steps + 1, self.seen.most)
        np.minimum(self.promise[below], np.log(sizes) - self.fall * steps, out=self.promise[below])
