"""The exact law of a released count, and what two laws owe each other.

Probabilities are fractions or enclosed by ball arithmetic, so that "at most e^epsilon times" is decided, not estimated.
They are asked for with `BITS` bits: `with ctx.workprec(BITS)`.
"""

import itertools
from fractions import Fraction
from functools import cache

from flint import arb, fmpq

from eremite.mechanisms import GlobalLaplace, SmoothLaplace
from eremite.mechanisms.global_laplace import laplace_below
from eremite.mechanisms.normal import rounded_below

BITS = 256


def as_ball(number, rest=None):
    ball = arb(fmpq(number.numerator, number.denominator))
    return ball if rest is None else ball.union(as_ball(rest))


def cumulative(noise, y, count, bound):
    """P(draw <= y), from what the draw itself looks at."""
    if isinstance(noise, SmoothLaplace):
        ends = noise.enclosure(count, bound)(y, BITS)
    elif isinstance(noise, GlobalLaplace):
        ends = laplace_below(y - count, BITS, noise.epsilon / bound)
    else:
        ends = rounded_below(y, BITS, count, bound * noise.sigma)
    return as_ball(*(Fraction(end, 1 << BITS) for end in ends))


@cache
def law(noise, count, bound, n):
    """The probabilities of 0, ..., n, what lies outside being added to the ends: a release clamped to [0, n]."""
    steps = [arb(0), *(cumulative(noise, y, count, bound) for y in range(n)), arb(1)]
    return [high - low for low, high in itertools.pairwise(steps)]


def at_most_times(epsilon, law_here, law_there):
    """Whether P(y) <= e^epsilon P'(y) for all y, with 2^-200 for the equality that both pure mechanisms attain."""
    factor = as_ball(epsilon).exp() * (1 + arb(2) ** -200)
    return all(p <= factor * p_there for p, p_there in zip(law_here, law_there, strict=True))


def divergence(epsilon, law_here, law_there):
    """The sum over y of max(P(y) - e^epsilon P'(y), 0), which no event exceeds."""
    factor = as_ball(epsilon).exp()
    return sum(((p - factor * q).max(arb(0)) for p, q in zip(law_here, law_there, strict=True)), arb(0))


def keeps(privacy, law_here, law_there):
    if privacy.delta == 0:
        return at_most_times(privacy.epsilon, law_here, law_there)
    return bool(divergence(privacy.epsilon, law_here, law_there) <= as_ball(privacy.delta))
