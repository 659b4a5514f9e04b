"""Bounds on F_D in whole numbers, from any solution at all (claims F1 and F2 of `reach.proof.md`).

theory                       here
u_i = v_i / c_i              whole multiples of 2^-p, rounded down until every cover holds D at most: a lower bound
prices y of covers           whole multiples of 2^-p, any of 0 or more; D y for each cover, and for each row what
                             the prices leave of c_i, over c_i: an upper bound

Of the m_i rows of one place, u_i is the sum. Arrays hold 64-bit integers, or Python's where 2^-p must be smaller
than those allow.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eremite.reach.covers import Heavy

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Wholes = NDArray[Any]  # np.int64 or object

_BELOW = 1 - 2.0**-40  # factors in floats are rounded down by it
_TRIES = 2  # with factors in floats


@dataclass(frozen=True, slots=True)
class Scale:
    """The p of 2^-p, and the type of numbers that sums of such multiples fit into."""

    digits: int
    kind: type

    @classmethod
    def of(cls, gaps: Ints, copies: Ints, reach: int, fineness: int) -> "Scale":
        """So fine that rounding all rows moves F_D by far less than 1 / fineness."""
        rows, most = int(copies.sum()), int(gaps.max(initial=1))
        digits = 60 - max(rows, reach, most).bit_length()  # room for five times the rows, as upper bounds may be
        if (16 * fineness * rows * most) >> digits == 0:
            return cls(digits, np.int64)
        return cls(digits + 64, object)

    def wholes(self, values: Floats) -> Wholes:
        """Multiples of 2^-p at most as large as these numbers of 0 or more, but for what floats leave out."""
        mantissas, exponents = np.frexp(values)
        leading = (mantissas * 2.0**53).astype(np.int64)
        shifts = exponents.astype(np.int64) + self.digits - 53
        if self.kind is object:
            return np.array([_shifted(m, s) for m, s in zip(leading.tolist(), shifts.tolist(), strict=True)], object)
        return np.where(shifts >= 0, leading << np.clip(shifts, 0, 9), leading >> np.clip(-shifts, 0, 63))

    def zeros(self, size: int) -> Wholes:
        """So many zeros."""
        return np.zeros(size, self.kind)


def _shifted(number: int, places: int) -> int:
    return number << places if places >= 0 else number >> -places


def feasible(u: Floats, gaps: Ints, copies: Ints, reach: int, covers: Iterable[Heavy], scale: Scale) -> Wholes:
    """Whole multiples near u: at most m / c, and in no cover more than D (claim F1)."""
    limit = reach << scale.digits
    most = (copies.astype(scale.kind) << scale.digits) // gaps
    whole: Wholes = np.minimum(scale.wholes(np.maximum(u, 0)), most)
    tries = 0
    while (held := _fullest(whole, covers, scale)).max(initial=0) > limit:
        over = np.flatnonzero(held > limit)
        if tries < _TRIES:
            factors = limit / held[over].astype(np.float64) * _BELOW
            whole[over] = scale.wholes(whole[over].astype(np.float64) * factors / 2.0**scale.digits)
        else:  # exactly; sum over a cover of floor(u limit / held) <= limit, as held is no less than what it holds
            whole[over] = [int(u) * limit // int(most) for u, most in zip(whole[over], held[over], strict=True)]
        tries += 1
    return whole


def _fullest(whole: Wholes, covers: Iterable[Heavy], scale: Scale) -> Wholes:
    """For each row, the most that one of its covers holds."""
    most = scale.zeros(len(whole))
    for part in covers:
        if len(part):
            held = np.add.reduceat(whole[part.rows], part.begins[:-1])
            np.maximum.at(most, part.rows, np.repeat(held, np.diff(part.begins)))
    return most


def left_over(prices: Wholes, members: list[NDArray[np.int32]], gaps: Ints, copies: Ints, scale: Scale) -> Wholes:
    """What prices of covers leave of each place, over c: m without any; rounded up (claim F2)."""
    paid = scale.zeros(len(gaps))
    for price, rows in zip(prices, members, strict=True):
        paid[rows] += price
    rest = np.maximum((gaps.astype(scale.kind) << scale.digits) - paid, 0)
    left: Wholes = -(-rest // gaps) * copies
    return left
