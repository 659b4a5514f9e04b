"""The law of smooth Laplace noise in three pieces (`smooth_laplace.proof.md`, claim N4).

v = epsilon |W| has a density that depends on kappa alone. With a = 3 kappa it is proportional to

    ((a - v) / 2)^2           up to start = max(a - 2, 0)
    e^-(v - start)            from there to end = 4 - a
    drop ((a + v) / 4)^-4     beyond, with drop = e^-(end - start)

Twelve times the mass beyond x, up to the same factor, is (a - x)^3 + 4 + 4 drop, or 12 e^-(x - start) + 4 drop, or
1024 drop / (a + x)^3. A dyadic kappa makes all of it rational but the powers of e.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import exp, log, sqrt

from flint import arb, ctx

from eremite.intervals import as_arb, at_least, scaled

_DIGITS = 64  # binary digits of kappa
_BITS = 128  # of an enclosure, at least


def kappa_above(beta: Fraction) -> Fraction:
    """A multiple of 2^-64 just above beta / (e^beta - 1), and at most 1. Above is the safe side (claim N2)."""

    def kappa() -> arb:
        exponent = as_arb(-beta)
        return exponent * exponent.exp() / exponent.expm1()

    return min(at_least(kappa, _DIGITS), Fraction(1))


@dataclass(frozen=True, slots=True)
class Law:
    """The law of v for one kappa: enclosed, or as floats for what is never released."""

    kappa: Fraction

    @property
    def start(self) -> Fraction:
        """Where the middle piece starts; the first piece is missing if that is at 0."""
        return max(3 * self.kappa - 2, Fraction(0))

    @property
    def end(self) -> Fraction:
        """Where the middle piece ends."""
        return 4 - 3 * self.kappa

    def tail(self, x: Fraction) -> arb:
        """An enclosure of P(v > x) for x >= 0, narrower than 2^-100 of it; narrower still with `ctx.prec` above 128."""
        with ctx.workprec(max(ctx.prec, _BITS)):
            drop = self.drop()
            return self._beyond(x, drop) / self._whole(drop)

    def below(self, x: Fraction) -> arb:
        """An enclosure of P(epsilon W < x), as narrow: W is symmetric."""
        with ctx.workprec(max(ctx.prec, _BITS)):
            half = self.tail(abs(x)) / 2
            return half if x < 0 else 1 - half

    def drop(self) -> arb:
        """The density at the end of the middle piece, where it is 1 at its start."""
        return as_arb(self.start - self.end).exp()

    def _whole(self, drop: arb) -> arb:
        """Twelve times the mass of everything."""
        return as_arb((3 * self.kappa) ** 3 + 4 if self.start else Fraction(12)) + 4 * drop

    def _beyond(self, x: Fraction, drop: arb) -> arb:
        """Twelve times the mass beyond x."""
        if x < self.start:
            return as_arb((3 * self.kappa - x) ** 3 + 4) + 4 * drop
        if x < self.end:
            return 12 * as_arb(self.start - x).exp() + 4 * drop
        return drop * as_arb(1024 / (3 * self.kappa + x) ** 3)

    def quantile(self, share: float) -> float:
        """v stays below this with probability `share`: `tail`, inverted piece by piece."""
        a, start, drop, whole = self._floats()
        rest = whole * (1 - share)
        if rest > 12 + 4 * drop:
            return a - float((rest - 4 - 4 * drop) ** (1 / 3))
        if rest > 16 * drop:
            return start - log((rest - 4 * drop) / 12)
        return float((1024 * drop / rest) ** (1 / 3)) - a

    def deviation(self) -> float:
        """The standard deviation of epsilon W: the integral of v^2 over the three pieces."""
        a, start, drop, whole = self._floats()
        end = 4 - a
        inner = 3 * start**3 * (a * a / 3 - a * start / 2 + start * start / 5)
        middle = 12 * (start * start + 2 * start + 2 - drop * (end * end + 2 * end + 2))
        outer = drop * (768 - 192 * a + 16 * a * a)
        return sqrt((inner + middle + outer) / whole)

    def _floats(self) -> tuple[float, float, float, float]:
        """a, start, drop and twelve times the whole mass."""
        a, start = float(3 * self.kappa), float(self.start)
        drop = exp(start + a - 4)
        return a, start, drop, 4 * drop + (a**3 + 4 if start else 12)


@dataclass(frozen=True, slots=True)
class FixedPoint:
    """The constants of a law in units of 2^-digits: exact where they are dyadic, enclosed where e enters."""

    digits: int
    a: int
    start: int
    end: int
    drop: tuple[int, int]
    whole: tuple[int, int]

    def half_tail(self, low: int, high: int, n: int) -> tuple[int, int]:
        """Integers around 2^n P(v > x) / 2 for every x from low to high.

        Twelve times the density is at most 3 a^2 <= 27, so the tail falls by at most that times the width.
        """
        least, most = self._beyond(low)
        least -= 27 * (high - low)
        return (least << n) // (2 * self.whole[1]), -((-most << n) // (2 * self.whole[0]))

    def _beyond(self, x: int) -> tuple[int, int]:
        """Integers around twelve times the mass beyond x."""
        low, high = self.drop
        if x >= self.end:
            cube = (self.a + x) ** 3
            return (1024 * low << 3 * self.digits) // cube, -((-1024 * high << 3 * self.digits) // cube)
        if x < self.start:
            cube, four = (self.a - x) ** 3, 4 << self.digits
            return (cube >> 2 * self.digits) + four + 4 * low, -(-cube >> 2 * self.digits) + four + 4 * high
        power = scaled(lambda: arb((self.start - x, -self.digits)).exp(), self.digits)
        return 12 * power[0] + 4 * low, 12 * power[1] + 4 * high


@lru_cache(maxsize=64)
def fixed_point(kappa: Fraction, digits: int) -> FixedPoint:
    """The constants for draws, computed once: they depend on epsilon and the number of digits alone."""
    law = Law(kappa)
    a, start, end = (_units(number, digits) for number in (3 * kappa, law.start, law.end))
    drop = scaled(law.drop, digits)
    cube, rest = (a**3, 4 << digits) if start else (0, 12 << digits)
    whole = (cube >> 2 * digits) + rest + 4 * drop[0], -(-cube >> 2 * digits) + rest + 4 * drop[1]
    return FixedPoint(digits, a, start, end, drop, whole)


def _units(number: Fraction, digits: int) -> int:
    """A multiple of 2^-64 in units of 2^-digits."""
    return number.numerator * ((1 << digits) // number.denominator)
