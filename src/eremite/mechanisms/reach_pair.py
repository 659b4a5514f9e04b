"""One draw of noise for two values that move together, one below the count and one above (`reach_pair.proof.md`).

theory        here
F, U          the values, each certified within 1 / (2 fineness)
s, s'         below, above: how far two runs on neighbors may give them apart
L             steps: a value is a whole number of steps of s / L, or s' / L, so both move by L steps at most
Z             a point of the plane with probability proportional to e^(-epsilon max(|z1|, |z2|) / L)
T             margin, in steps
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor

from flint import arb

from eremite.intervals import as_arb, scaled
from eremite.mechanisms.margins import USUAL_SHARE, checked_share, least, surely_at_most
from eremite.mechanisms.sampling import draw_integer
from eremite.mechanisms.selection import below as one_below
from eremite.privacy import positive

_SHARE = Fraction(
    2, 5
)  # of the noise of one value, what the other one, which has more, adds to it in an answer between them


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a draw releases: the two values with their noise, in steps, and what they say of the count behind them."""

    noise: "ReachPair"
    units: tuple[int, int]

    def between(self, confidence: Fraction | float = USUAL_SHARE) -> tuple[int, int]:
        """Whole numbers with the count between them, so often, for every table (claim K2); not clamped.

        If noise has made the ends cross, they are swapped.
        """
        noise, margin = self.noise, self.noise.margin(confidence)
        low = ceil((self.units[0] - margin) * noise.step(0) - noise.off)
        high = floor((self.units[1] + margin) * noise.step(1) + noise.off)
        return min(low, high), max(low, high)

    def at_least(self, confidence: Fraction | float = USUAL_SHARE) -> int:
        """A whole number that the count is no less than, so often, for every table (claim K2); not clamped."""
        margin = self.noise.margin_below(confidence)
        return ceil((self.units[0] - margin) * self.noise.step(0) - self.noise.off)

    def middle(self, confidence: Fraction | float = USUAL_SHARE) -> int:
        """The answer: the whole number next to a share of the way from the lower value to the upper one, but no further
        from the lower one than its noise may be, and between the two ends; not clamped."""
        noise = self.noise
        low, high = (units * noise.step(side) for side, units in enumerate(self.units))
        return answer_between(low, high, noise.weight, noise.furthest, self.between(confidence))


@dataclass(frozen=True, slots=True)
class ReachPair:
    """(F + s Z1 / L, U + s' Z2 / L) with one Z: epsilon is not divided between the two.

    epsilon-DP if |F - F'| <= below and |U - U'| <= above surely: for all neighbors, and for any two runs that compute
    them. The scales are public, and all that is said here about the noise holds for every table.
    """

    epsilon: Fraction
    below: Fraction
    above: Fraction
    fineness: int = 64

    def __post_init__(self) -> None:
        for name in ("epsilon", "below", "above"):
            object.__setattr__(self, name, positive(getattr(self, name), name))

    @property
    def steps(self) -> int:
        """L: so many that half a step is at most 1 / (2 fineness)."""
        return ceil(self.fineness * max(self.below, self.above))

    @property
    def weight(self) -> Fraction:
        """How far from the lower value to the upper one the answer lies: nearer to the one that has less noise.

        So the other one adds little to the noise of the answer. Public, and no part of what is proved.
        """
        return weight_of_upper(self.below, self.above)

    @property
    def furthest(self) -> Fraction:
        """By how much the upper value may raise the answer, in rows: where it is far off, it tells little. Public."""
        return self.margin() * self.step(0)

    @property
    def off(self) -> Fraction:
        """How far a value may be from what it stands for, in rows."""
        return Fraction(1, self.fineness)

    def step(self, side: int) -> Fraction:
        """The grid of the lower value, or of the upper one, in rows."""
        return (self.below, self.above)[side] / self.steps

    def draw(self, values: tuple[Fraction, Fraction]) -> Bounds:
        """The two values, on their grids, with noise. Distributed exactly so."""
        ring = draw_integer(self._up_to, 0)
        noise = point_of_ring(ring, one_below(8 * ring)) if ring else (0, 0)
        units = (floor(value / self.step(side) + Fraction(1, 2)) for side, value in enumerate(values))
        first, second = (unit + z for unit, z in zip(units, noise, strict=True))
        return Bounds(self, (first, second))

    def beyond(self, ring: int) -> arb:
        """P(max(|Z1|, |Z2|) > ring) for a ring of 0 or more, enclosed."""
        r = self._ratio()
        return 8 * r ** (ring + 1) * ((ring + 1) - ring * r) / ((1 - r) ** 2 + 8 * r)

    def outside(self, margin: int) -> arb:
        """P(Z1 > margin or Z2 < -margin), enclosed (claim K2)."""
        r = self._ratio()
        return r ** (margin + 1) * ((4 * margin + 5) - (4 * margin - 1) * r) / ((1 - r) ** 2 + 8 * r)

    def outside_below(self, margin: int) -> arb:
        """P(Z1 > margin), enclosed (claim K2)."""
        r = self._ratio()
        return r ** (margin + 1) * ((2 * margin + 3) - (2 * margin - 1) * r) / ((1 - r) ** 2 + 8 * r)

    def margin(self, confidence: Fraction | float = USUAL_SHARE) -> int:
        """T, in steps: both values are off by no more than that to the outside, so often. Public, exact (claim K2)."""
        return _margin(self, checked_share(confidence))

    def margin_below(self, confidence: Fraction | float = USUAL_SHARE) -> int:
        """The same for the lower value alone."""
        return _margin_below(self, checked_share(confidence))

    def _ratio(self) -> arb:
        return as_arb(-self.epsilon / self.steps).exp()

    def _up_to(self, ring: int, bits: int) -> tuple[int, int]:
        """Integers around 2^bits P(max(|Z1|, |Z2|) <= ring)."""
        return scaled(lambda: 1 - self.beyond(ring), bits) if ring >= 0 else (0, 0)


def weight_of_upper(below: Fraction, above: Fraction) -> Fraction:
    """The share of the way from a lower value with noise of one scale to an upper one with noise of another. Public."""
    if below <= above:
        return min(Fraction(1, 2), _SHARE * below / above)
    return 1 - min(Fraction(1, 2), _SHARE * above / below)


def answer_between(low: Fraction, high: Fraction, weight: Fraction, furthest: Fraction, ends: tuple[int, int]) -> int:
    """A share of the way from one value to another, no further than that, rounded, and between the ends."""
    answer = floor(low + min(weight * (high - low), furthest) + Fraction(1, 2))
    return min(max(answer, ends[0]), ends[1])


def point_of_ring(ring: int, index: int) -> tuple[int, int]:
    """The points with max(|z1|, |z2|) = ring, 1 or more, by index from 0 to 8 ring - 1: a side, and where on it."""
    side, place = divmod(index, 2 * ring)
    z = (ring, place - ring + 1)
    for _ in range(side):
        z = (-z[1], z[0])
    return z


@lru_cache(maxsize=1024)
def _margin(noise: ReachPair, confidence: Fraction) -> int:
    rest = 1 - confidence
    return least(lambda margin: surely_at_most(lambda: noise.outside(margin), rest), 0)


@lru_cache(maxsize=1024)
def _margin_below(noise: ReachPair, confidence: Fraction) -> int:
    rest = 1 - confidence
    return least(lambda margin: surely_at_most(lambda: noise.outside_below(margin), rest), 0)
