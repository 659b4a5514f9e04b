"""The discrete Gaussian: integers z with probability proportional to e^(-z^2 / (2 s^2)) (`reach_gaussian.proof.md`).

paper (Canonne, Kamath, Steinke 2020)     here
sigma                                     deviation, s
t                                         steps, the scale of the discrete Laplace draws that are thinned out
"""

from fractions import Fraction
from math import floor

from flint import arb

from eremite.intervals import as_arb, scaled
from eremite.mechanisms.global_laplace import laplace_below
from eremite.mechanisms.normal import below
from eremite.mechanisms.sampling import Uniform, draw_integer


def draw_discrete_normal(deviation: Fraction) -> int:
    """An integer, distributed exactly so (claim G2). How many draws it takes depends on random bits alone."""
    steps = floor(deviation) + 1
    rate = Fraction(1, steps)
    while True:
        drawn = draw_integer(lambda y, n: laplace_below(y, n, rate), 0)
        if _kept(Fraction(abs(drawn)) - deviation**2 / steps, deviation):
            return drawn


def discrete_tail(z: int, deviation: Fraction) -> arb:
    """P(Z >= z), z >= 1 and deviation >= 1: enclosed to about 1 / (15 s^2), by the normal distribution (claim G3)."""
    s = as_arb(deviation)
    off = 1 / (15 * s * s)
    more = 4 * (-2 * arb.pi() ** 2 * s * s).exp()
    normal = below(as_arb((Fraction(1, 2) - z) / deviation))
    return (normal - off).union(normal + off) / arb(1).union(1 + more)


def _kept(distance: Fraction, deviation: Fraction) -> bool:
    """True with probability e^(-distance^2 / (2 s^2))."""
    drop = distance**2 / (2 * deviation**2)
    return Uniform().below(lambda _, n: scaled(lambda: as_arb(-drop).exp(), n), 0)
