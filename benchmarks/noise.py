"""The noise of every mechanism on a table, for tables that may be shown.

theory     here
S(X)       `Noise.bound`; the noise is this times the noise for a bound of 1
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

import numpy as np

from benchmarks.student import Student
from benchmarks.tables import Case
from eremite import OutlierDefinition
from eremite.mechanisms import Gaussian, GlobalGaussian, GlobalLaplace, Mechanism, SmoothLaplace
from eremite.mechanisms.decay import decay_above
from eremite.mechanisms.normal import half_width
from eremite.mechanisms.paper_gaussian import paper_steadiness, root_of_two_logs
from eremite.sensitivity import count_with_bound, most_moved
from eremite_paper.at_scale import smooth_sensitivity

#: From a table, a definition and a decay to a bound.
Bound = Callable[[Case, OutlierDefinition, Fraction | None], Fraction | float]


def released(case: Case, definition: OutlierDefinition, decay: Fraction | None) -> Fraction:
    """The bound that a release uses: the smooth one, or the global one for mechanisms without a decay."""
    if decay is None:
        n, d = case.points.shape
        return Fraction(most_moved(n, d, definition.min_neighbors))
    return count_with_bound(case.points, definition, decay)[1]


def papers(case: Case, definition: OutlierDefinition, decay: Fraction | None) -> float:
    """The paper's own smooth bound: its profile has no cap but N."""
    assert decay is not None
    return smooth_sensitivity(case.points, definition, decay)


@dataclass(frozen=True, slots=True)
class Noise:
    """A mechanism as the tables show it: its noise for a bound of 1, and the bound it takes."""

    name: str
    deviation: float
    half_width: float  # for 95 %
    median: float  # of its absolute value
    decay: Fraction | None
    bound: Bound = released


def noises(epsilon: Fraction, delta: Fraction) -> list[Noise]:
    """Every mechanism at this epsilon and delta, Theorem 4 as the paper has it first, the default last."""
    laplace, student, smooth = GlobalLaplace(epsilon), Student(epsilon), SmoothLaplace(epsilon)
    return [
        theorem_4(epsilon, delta, "Theorem 4", papers),
        theorem_4(epsilon, delta, "gaussian-paper", released),
        _normal("gaussian", Gaussian(epsilon, delta)),
        _normal("global-gaussian", GlobalGaussian(epsilon, delta)),
        _noise("global-laplace", sqrt(2) / float(epsilon), laplace),
        _noise("student", sqrt(3) * student.half_width() / 3.182, student),
        _noise("smooth-laplace", deviation(smooth), smooth),
    ]


def deviation(mechanism: Mechanism) -> float:
    """The standard deviation for a bound of 1, from the half-widths of all shares: E W^2 is their mean square.

    Shares are taken as 1 - s^6 with s evenly weighted, which tames a tail that falls as the third power or faster.
    """
    nodes, weights = np.polynomial.legendre.leggauss(200)
    s = (nodes + 1) / 2
    squares = [mechanism.half_width(1 - max(rest, 1e-15)) ** 2 for rest in (s**6).tolist()]
    return float(np.sqrt(np.sum(weights / 2 * 6 * s**5 * squares)))


def theorem_4(epsilon: Fraction, delta: Fraction, name: str, bound: Bound) -> Noise:
    """The paper's formula; proved for epsilon below 1 and taken at face value elsewhere."""
    sigma = float(5 * root_of_two_logs(delta) / epsilon)
    decay = decay_above(paper_steadiness(epsilon, delta))
    return Noise(name, sigma, half_width(0.95) * sigma, half_width(0.5) * sigma, decay, bound)


def _normal(name: str, mechanism: Gaussian | GlobalGaussian) -> Noise:
    return _noise(name, float(mechanism.sigma), mechanism)


def _noise(name: str, sd: float, mechanism: Mechanism) -> Noise:
    return Noise(name, sd, mechanism.half_width(), mechanism.half_width(0.5), mechanism.decay)
