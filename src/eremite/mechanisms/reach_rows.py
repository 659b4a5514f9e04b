"""One draw of noise for a count from below, one from above, and the number of rows, where rows come and go.

theory        here (`reach_rows.proof.md`)
F, U, N       the values, F and U each certified within 1 / (2 fineness), and N exact
D, D'         below, above: the reaches, whole numbers
m             rows_per_person
f, u          2 F + (D - 1) N and 2 U + (D' - 1) N, which a row moves by D + 1 and D' + 1 at most
s, s'         scale: how far two runs on neighbors may give these apart
L             steps, to each of which a row moves f, u and N by at most s / L, s' / L and m / L
Z             a point of space with probability proportional to e^(-epsilon max(|z1|, |z2|, |z3|) / L)
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor

from flint import arb

from eremite.intervals import as_arb, scaled
from eremite.mechanisms.margins import USUAL_SHARE, checked_share, least, surely_at_most
from eremite.mechanisms.reach_pair import answer_between, weight_of_upper
from eremite.mechanisms.sampling import draw_integer
from eremite.mechanisms.selection import below as one_below
from eremite.privacy import positive


@dataclass(frozen=True, slots=True)
class BoundsAndRows:
    """What a draw releases: the three values with their noise, in steps, and what they say of what is behind them."""

    noise: "ReachWithRows"
    units: tuple[int, int, int]

    def between(self, confidence: Fraction | float = USUAL_SHARE) -> tuple[int, int]:
        """Whole numbers with the count between them, so often, for every table (claim J2); not clamped.

        If noise has made the ends cross, they are swapped.
        """
        rest = (1 - checked_share(confidence)) / 2
        low = ceil(self._value(0) - self.noise.margin(0, rest) - self.noise.off)
        high = floor(self._value(1) + self.noise.margin(1, rest) + self.noise.off)
        return min(low, high), max(low, high)

    def at_least(self, confidence: Fraction | float = USUAL_SHARE) -> int:
        """A whole number that the count is no less than, so often, for every table (claim J2); not clamped."""
        return ceil(self._value(0) - self.noise.margin(0, 1 - checked_share(confidence)) - self.noise.off)

    def middle(self, confidence: Fraction | float = USUAL_SHARE) -> int:
        """The answer, as of `Bounds`: on the way to the upper value, but no further than the lower one's noise."""
        values = self._value(0), self._value(1)
        return answer_between(*values, self.noise.weight, self.noise.furthest, self.between(confidence))

    def rows(self) -> int:
        """The number of rows, whole; not clamped."""
        return floor(self._rows + Fraction(1, 2))

    def rows_within(self, confidence: Fraction | float = USUAL_SHARE) -> int:
        """So often, for every table, `rows` is within so many of the true number (claim J2)."""
        return ceil(self.noise.margin_of_rows((1 - checked_share(confidence)) / 2) + Fraction(1, 2))

    @property
    def _rows(self) -> Fraction:
        return Fraction(self.units[2] * self.noise.rows_per_person, self.noise.steps)

    def _value(self, side: int) -> Fraction:
        noise = self.noise
        return (self.units[side] * noise.scale(side) / noise.steps - (noise.reaches[side] - 1) * self._rows) / 2


@dataclass(frozen=True, slots=True)
class ReachWithRows:
    """The counts and the number of rows, with one Z: epsilon is not divided among the three.

    epsilon-DP where a person with up to m rows comes or goes, for any two runs that compute the counts of these
    reaches. The scales are public, and all that is said here about the noise holds for every table.
    """

    epsilon: Fraction
    below: int
    above: int
    rows_per_person: int = 1
    fineness: int = 64

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))

    @property
    def reaches(self) -> tuple[int, int]:
        """D and D'."""
        return self.below, self.above

    @property
    def steps(self) -> int:
        """L: a multiple of m, and so many that half a step is at most 1 / (2 fineness)."""
        m = self.rows_per_person
        return m * ceil(self.fineness * max(self.scale(0), self.scale(1)) / m)

    @property
    def off(self) -> Fraction:
        """How far a count may be from what it stands for, in rows."""
        return Fraction(1, self.fineness)

    @property
    def weight(self) -> Fraction:
        """How far from the lower value to the upper one the answer lies. Public, and no part of what is proved."""
        return weight_of_upper(Fraction(self.below), Fraction(self.above))

    @property
    def furthest(self) -> Fraction:
        """By how much the upper value may raise the answer, in rows. Public."""
        return self.margin(0, (1 - USUAL_SHARE) / 2)

    def scale(self, side: int) -> Fraction:
        """s or s'."""
        return self.rows_per_person * (self.reaches[side] + 1) + Fraction(4, self.fineness)

    def draw(self, values: tuple[Fraction, Fraction], rows: int) -> BoundsAndRows:
        """The two counts and the number of rows, with noise. Distributed exactly so."""
        ring = draw_integer(self._up_to, 0)
        noise = point_of_shell(ring, one_below(24 * ring**2 + 2)) if ring else (0, 0, 0)
        counted = (2 * value + (reach - 1) * rows for value, reach in zip(values, self.reaches, strict=True))
        first, second = (floor(f * self.steps / self.scale(i) + Fraction(1, 2)) for i, f in enumerate(counted))
        third = rows * self.steps // self.rows_per_person
        return BoundsAndRows(self, (first + noise[0], second + noise[1], third + noise[2]))

    def beyond(self, ring: int) -> arb:
        """P(max(|Z1|, |Z2|, |Z3|) > ring) for a ring of 0 or more, enclosed."""
        q, n = self._ratio(), ring + 1
        one, rest = as_arb(Fraction(1)), 1 - self._ratio()
        squares = one * n * n / rest + 2 * n * q / rest**2 + q * (1 + q) / rest**3
        return q**n * (24 * squares + 2 / rest) / self._whole()

    def margin(self, side: int, rest: Fraction) -> Fraction:
        """T, in rows: the noise of a count is no more than that, on one side, but for this share. Public (claim J2)."""
        return _margin(self, self.scale(side), Fraction((self.reaches[side] - 1) * self.rows_per_person), 2, rest)

    def margin_of_rows(self, rest: Fraction) -> Fraction:
        """The same of the noise of the number of rows."""
        return _margin(self, Fraction(self.rows_per_person), Fraction(0), 1, rest)

    def at_most(self, long: Fraction, short: Fraction, limit: Fraction) -> arb:
        """At least P(long Z1 - short Z3 > limit), and 1 at most but for rounding, long > short >= 0 (claim J2)."""
        rate = as_arb(self.epsilon / self.steps)
        furthest = limit - (long + short) / 2
        if furthest <= 0:
            return as_arb(Fraction(1))
        times = (rate / 2).exp() * 48 / (rate**3 * self._whole())
        return times * _beyond_plane(long, short, as_arb(furthest) * rate)

    def _ratio(self) -> arb:
        return as_arb(-self.epsilon / self.steps).exp()

    def _whole(self) -> arb:
        """The sum of r^max(|z1|, |z2|, |z3|) over all points."""
        q = self._ratio()
        return 1 + 24 * q * (1 + q) / (1 - q) ** 3 + 2 * q / (1 - q)

    def _up_to(self, ring: int, bits: int) -> tuple[int, int]:
        """Integers around 2^bits P(max(|Z1|, |Z2|, |Z3|) <= ring)."""
        return scaled(lambda: 1 - self.beyond(ring), bits) if ring >= 0 else (0, 0)


def point_of_shell(ring: int, index: int) -> tuple[int, int, int]:
    """The points with max(|z1|, |z2|, |z3|) = ring, 1 or more, by index from 0 to 24 ring^2 + 1.

    Those with |z1| = ring first, then those with |z2| = ring among the rest, then those with |z3| = ring.
    """
    inner, outer = 2 * ring - 1, 2 * ring + 1
    sign, rest = (1, -1)[index % 2], index // 2
    if rest < outer**2:
        return sign * ring, rest // outer - ring, rest % outer - ring
    rest -= outer**2
    if rest < inner * outer:
        return rest // outer - ring + 1, sign * ring, rest % outer - ring
    rest -= inner * outer
    return rest // inner - ring + 1, rest % inner - ring + 1, sign * ring


def _beyond_plane(long: Fraction, short: Fraction, t: arb) -> arb:
    """P(long X - short Y > t) for a point of the cube whose size has a Gamma distribution of 4, as likely as any other.

    A plane cuts off a part of the square of X and Y: a corner of it, or, from some size of the cube on, a side.
    """
    a, b, both = as_arb(long), as_arb(short), as_arb(long + short)
    side = t / (a - b)
    cut = (_gamma(3, side) - t / a * _gamma(2, side)) / 12
    if short == 0:
        return cut
    corner = t / both

    def between(power: int) -> arb:
        return _gamma(power, corner) - _gamma(power, side)

    return cut + (both**2 * between(3) - 2 * both * t * between(2) + t**2 * between(1)) / (48 * a * b)


def _gamma(power: int, x: arb) -> arb:
    """The integral of r^power e^-r from x on, for a power of 1 to 3."""
    sums = {1: x + 1, 2: x**2 + 2 * x + 2, 3: x**3 + 3 * x**2 + 6 * x + 6}
    return (-x).exp() * sums[power]


@lru_cache(maxsize=1024)
def _margin(noise: ReachWithRows, long: Fraction, short: Fraction, times: int, rest: Fraction) -> Fraction:
    """The least T, in parts of 1 / fineness, with P(long Z1 - short Z3 > times L T) surely at most `rest`."""
    limit = Fraction(times * noise.steps, noise.fineness)
    found = least(lambda parts: surely_at_most(lambda: noise.at_most(long, short, limit * parts), rest), 0)
    return Fraction(found, noise.fineness)
