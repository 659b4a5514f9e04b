"""Exact sampling: random bits, extended until an enclosure of the distribution function decides the integer.

A uniform number U is known by its first n bits, U in [u, u + 1) / 2^n. Of a distribution function F on the integers we
ask, for an integer y and a number of bits n, for integers low <= 2^n F(y) <= high. Then U < F(y) for certain when
u + 1 <= low, U >= F(y) for certain when u >= high, and otherwise more bits decide. The integer drawn is the smallest y
with U < F(y): its distribution is F exactly, whatever the enclosures, provided they tighten. No float is involved.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

from flint import arb

from eremite.intervals import as_arb, scaled
from eremite.mechanisms import entropy

#: (y, n) -> integers around 2^n F(y)
Enclose = Callable[[int, int], tuple[int, int]]

_CHUNK = 64


class Uniform:
    """A number in [0, 1) drawn bit by bit, as far as anyone has asked."""

    __slots__ = ("_length", "_prefix")

    def __init__(self) -> None:
        self._prefix, self._length = entropy.system_bits(_CHUNK), _CHUNK

    def below(self, enclose: Enclose, y: int) -> bool:
        """Whether the number is below F(y)."""
        while (decided := self.side(enclose, y)) is None:
            self._prefix = self._prefix << _CHUNK | entropy.system_bits(_CHUNK)
            self._length += _CHUNK
        return decided

    def side(self, enclose: Enclose, y: int) -> bool | None:
        """Whether the number is below F(y), if the bits drawn so far tell."""
        low, high = enclose(y, self._length)
        if self._prefix < low:
            return True
        return False if self._prefix >= high else None


def draw_integer(enclose: Enclose, start: int) -> int:
    """An integer with distribution function F; the search begins at `start` and doubles its steps."""
    uniform = Uniform()
    step = 1
    if uniform.below(enclose, start):
        high = start
        while uniform.below(enclose, high - step):
            high -= step
            step *= 2
        low = high - step
    else:
        low = start
        while not uniform.below(enclose, low + step):
            low += step
            step *= 2
        high = low + step
    while high - low > 1:  # F(low) <= U < F(high)
        middle = (low + high) // 2
        if uniform.below(enclose, middle):
            high = middle
        else:
            low = middle
    return high


def draw_index(exponents: Sequence[Fraction], counts: Sequence[int] | None = None) -> int:
    """An index i with probability proportional to exp(exponents[i]), or to counts[i] times that."""
    last, largest = len(exponents) - 1, max(exponents)
    times = [1] * len(exponents) if counts is None else counts

    def weight(indices: range) -> arb:
        return sum((times[i] * as_arb(exponents[i] - largest).exp() for i in indices), arb(0))

    def enclose(y: int, n: int) -> tuple[int, int]:
        if y < 0:
            return 0, 0
        if y >= last:
            return 1 << n, 1 << n
        return scaled(lambda: weight(range(y + 1)) / weight(range(last + 1)), n)

    return draw_integer(enclose, last // 2)
