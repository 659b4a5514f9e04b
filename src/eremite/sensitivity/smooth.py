"""Smooth bound on the local sensitivity of the outlier count (claims S1 to S3).

paper      here
A^(t)(X)   Windows.ball_bound(t) + t + 1, capped
rho        decay        the bound may change by at most 1/decay between neighbours
S(X)       the returned fraction
"""

from dataclasses import dataclass, field
from fractions import Fraction

from numpy.typing import ArrayLike

from eremite.errors import InputError
from eremite.outliers import OutlierDefinition, checked_points
from eremite.sensitivity.everywhere import global_bounds
from eremite.sensitivity.windows import Method, Windows, windows


def smooth_bound(
    points: ArrayLike, definition: OutlierDefinition, decay: Fraction, method: Method = "auto"
) -> Fraction:
    """S(X) = max over all t of decay^t A^(t)(X), exactly.

    At least the local sensitivity, and between tables that differ in one row it changes by at most the factor
    1 / decay. Steps are evaluated best first and skipped where a bound says they cannot win; the result is the plain
    maximum. As private as the rows.
    """
    if type(decay) is not Fraction or not 0 < decay < 1:
        raise InputError("decay must be a Fraction above 0 and below 1.")
    rows = checked_points(points)
    if len(rows) == 0:
        return Fraction(0)
    most = global_bounds(len(rows), rows.shape[1], definition.min_neighbors)[1]
    last = last_useful_step(most, decay)
    return _Search(windows(rows, definition, last + 1, method), decay).run(last)


def last_useful_step(most: int, decay: Fraction) -> int:
    """A step beyond which no table's maximum lies (claim S3); from public facts only.

    A^(t) >= min(t + 1, most), so S >= best := max decay^t min(t + 1, most), while decay^t A^(t) <= decay^t most.
    """
    best, power, step = Fraction(0), Fraction(1), 0
    while power * most > best:
        best = max(best, power * min(step + 1, most))
        power *= decay
        step += 1
    return step


@dataclass(slots=True)
class _Search:
    """Best first over t. f never falls as t grows, so one evaluated step bounds all the steps below it."""

    seen: Windows
    decay: Fraction
    best: Fraction = Fraction(0)
    bounds: dict[int, int] = field(default_factory=dict)  # step -> f, or more

    def run(self, last: int) -> Fraction:
        step = 0
        while step <= last and self._value(step, self.seen.most) > self.best:
            self._evaluate(step)
            step = 2 * step or step + 1
        open_steps = set(range(min(step, last + 1))) - set(self.bounds)
        while open_steps:
            promise, step = max((self._promise(t), t) for t in open_steps)
            if promise <= self.best:
                break
            self._evaluate(step)
            open_steps.remove(step)
        return self.best

    def _value(self, step: int, size: int) -> Fraction:
        return self.decay**step * min(size, self.seen.most)

    def _promise(self, step: int) -> Fraction:
        above = [bound for t, bound in self.bounds.items() if t > step]
        return self._value(step, min(above) + step + 1 if above else self.seen.most)

    def _evaluate(self, step: int) -> None:
        """Look no closer than it takes to see that a step does not win."""
        floor = min(int(self.best / self.decay**step) - step - 1, self.seen.most)
        bound = self.seen.ball_bound(step, floor=max(0, floor))
        self.bounds[step] = bound
        self.best = max(self.best, self._value(step, bound + step + 1))
