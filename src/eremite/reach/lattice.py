"""Which covers hold a row: cells of the lattice A_d*, grown by a distance (claims C1 to C4 of `covers.proof.md`).

theory                          here
A_d*                            the points z - mean(z), z whole numbers, in the hyperplane of d + 1 coordinates that
                                add up to 0; two z are the same point if they differ by (1, ..., 1)
V, the permutohedron            what is nearer to 0 than to any other of these points
rho                             the largest distance from a point to the nearest lattice point: `covering_radius`
cell of l grown by R            the row lies within `grown` of the cell of l

A kernel looks at one row at a time, and at nothing else. Lengths are in units of the lattice: a coordinate is divided
by `unit` first. Lattice points that share a name are far apart: rows tell their covers apart (C4).
"""

from dataclasses import dataclass
from functools import cache
from math import pi, sqrt

import numpy as np

from eremite.engines.pair import U, inlined, kernel

# Every row that the degree predicate calls near a point of the cell must be in the cover (claim C2).
_OUTWARD = 1e-9  # relative
#: What rounding may do to a distance, for each (d + 1)^2 and each unit of the largest coordinate: at most half of this.
ROUNDING = 64 * 2.0**-53
_LOOSER = 1e-7  # relative; by so much more are lattice points looked for than they are taken

#: A slot holds no more than this, and is heavy then whatever the threshold is.
FULL = 2**31 - 1

#: So many leading bits of a name tell parts of all covers apart.
NAME_BITS = 24

_LONGEST = 1 << 31  # period of names


@dataclass(frozen=True, slots=True)
class Lattice:
    """A lattice in d columns and how far its cells are grown; nothing of it depends on rows."""

    d: int
    unit: float  # the length of one unit of the lattice
    grown: float  # in these units
    roundings: int = 1  # so many times what rounding may do is added to that

    @classmethod
    def of(cls, d: int, rho: float, grown: float, roundings: int = 1) -> "Lattice":
        """The lattice with this covering radius, its cells grown by a distance."""
        unit = rho / covering_radius(d)
        return cls(d, unit, grown / unit, roundings)

    @property
    def size(self) -> tuple[float, float, int, int]:
        """What a kernel needs of it."""
        return self.unit, self.grown, self.roundings, period_of(self.d)


def covering_radius(d: int) -> float:
    """Of A_d*, in its own units."""
    return sqrt(d * (d + 2) / (12 * (d + 1)))


@cache
def period_of(d: int) -> int:
    """The largest whole number of which d times, and the d + 1 sums of coordinates, tell names of 64 bits apart; or the
    largest power of 2, where that is 8 or more, as remainders of these are quick."""
    period, names = 1, 2**64 // (d + 1)
    while period < _LONGEST and (period + 1) ** d <= names:
        period = min(2 * period, _LONGEST) if (2 * period) ** d <= names else period + 1
    return period if period < 8 else 1 << (period.bit_length() - 1)


def covers_of_a_row(d: int, ratio: float) -> float:
    """About how many cells, grown by R, hold a row, or more: of the lattice whose covering radius is `ratio` R."""
    covers: float = thickness(d) * (1 + 1 / ratio) ** d
    return covers


def ratio_of_covers(d: int, covers: float) -> float | None:
    """The ratio for which so many cells hold a row; None if they are more however wide they are."""
    times = (covers / thickness(d)) ** (1 / d)
    return 1 / (times - 1) if times > 1 else None


def thickness(d: int) -> float:
    """In how many balls of the covering radius around the points of the lattice a place lies, on average."""
    ball: float = pi ** (d / 2)
    for half in range(d, 0, -2):
        ball *= 2 / half
    if d % 2:
        ball /= sqrt(pi)
    balls: float = ball * covering_radius(d) ** d * sqrt(d + 1)
    return balls


@inlined
def _embed(row, unit, out):
    """The row in the hyperplane of d + 1 coordinates that add up to 0, by Helmert's orthonormal basis."""
    d = row.size
    rest = 0.0
    for j in range(d, 0, -1):
        step = row[j - 1] / unit / np.sqrt(np.float64(j) * (j + 1))
        out[j] = rest - j * step
        rest += step
    out[0] = rest


@inlined
def _squared_distance_to_cell(w, order, blocks, lengths):
    """The square of the distance from w to the cell of 0 (claim C3): of w, sorted, without the vertex next to it, the
    nearest falling sequence."""
    n = w.size
    for i in range(n):
        value = w[i]
        j = i - 1
        while j >= 0 and order[j] < value:
            order[j + 1] = order[j]
            j -= 1
        order[j + 1] = value
    last = -1
    for i in range(n):
        mean = order[i] - (n - 1 - 2 * i) / (2.0 * n)
        length = 1
        while last >= 0 and blocks[last] < mean:
            mean = (mean * length + blocks[last] * lengths[last]) / (length + lengths[last])
            length += lengths[last]
            last -= 1
        last += 1
        blocks[last] = mean
        lengths[last] = length
    total = 0.0
    for i in range(last + 1):
        total += lengths[i] * blocks[i] * blocks[i]
    return total


@inlined
def _name(z, t, period):
    """A name of 64 bits: the sum of z and the remainders of its coordinates, mixed by steps that can be undone (C4)."""
    key = U(t)
    powers_of_two = period >= 8
    for i in range(z.size - 1):
        rest = z[i] & (period - 1) if powers_of_two else z[i] % period
        key = key * U(period) + U(rest)
    key = (key ^ (key >> U(30))) * U(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> U(27))) * U(0x94D049BB133111EB)
    return key ^ (key >> U(31))


@kernel
def cover_names(row, unit, grown, roundings, period, names):
    """The names of all covers that hold the row, into `names`, and how many these are.

    More than fit are counted and not named. Depth first over z, one coordinate after the other; what is left of a sum
    of squares, and what coordinates of a cell may add up to, say early where no cover is left.
    """
    d = row.size
    n = d + 1
    y, w, order, blocks = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    z, last, lengths = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    squares, sums, above, below = np.zeros(n + 1), np.zeros(n + 1), np.zeros(n + 1), np.zeros(n + 1)
    many_above, many_below = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    _embed(row, unit, y)
    largest = 1.0
    for i in range(d):
        largest = max(largest, 1 + abs(row[i]) / unit)
    near = grown * (1 + _OUTWARD) + roundings * ROUNDING * n * n * largest
    taken = near * near
    looser = near * (1 + _LOOSER) + _LOOSER
    within = looser + np.sqrt(d * (d + 2) / (12.0 * n))
    bound = within * within
    most = np.empty(n + 1)  # of the sum of so many coordinates of a point near the cell of 0
    for s in range(n + 1):
        most[s] = s * (n - s) / (2.0 * n) + looser * np.sqrt(s * (n - s) / np.float64(n))
    found = 0
    for t in range(n):
        shift = t / np.float64(n)
        at = 0
        fresh = True
        taken_sum = np.int64(0)
        while at >= 0:
            if fresh:
                # The values of z[at] for which the rest may still fit.
                left = n - at - 1
                center = -sums[at] / (left + 1)
                room = (bound - squares[at] - sums[at] * sums[at] / (left + 1)) * left / (left + 1)
                half = np.sqrt(max(room, 0.0)) + _LOOSER
                low = max(center - half, -most[1])
                high = min(center + half, most[1])
                position = y[at] + shift
                if room < -_LOOSER:
                    low, high = 1.0, 0.0
                z[at] = np.int64(np.ceil(position - high))
                last[at] = np.int64(np.floor(position - low))
                fresh = False
            else:
                taken_sum -= z[at]
                z[at] += 1
            if z[at] > last[at]:
                at -= 1
                continue
            value = y[at] + shift - z[at]
            w[at] = value
            taken_sum += z[at]
            squares[at + 1] = squares[at] + value * value
            sums[at + 1] = sums[at] + value
            above[at + 1], many_above[at + 1] = above[at], many_above[at]
            below[at + 1], many_below[at + 1] = below[at], many_below[at]
            if value > 0:
                above[at + 1] += value
                many_above[at + 1] += 1
            else:
                below[at + 1] -= value
                many_below[at + 1] += 1
            if above[at + 1] > most[many_above[at + 1]] or below[at + 1] > most[many_below[at + 1]]:
                continue
            if at + 1 < d:
                at += 1
                fresh = True
                continue
            # All but the last coordinate are chosen: the last one follows.
            z[d] = t - taken_sum
            w[d] = y[d] + shift - z[d]
            if squares[d] + w[d] * w[d] > bound:
                continue
            if _squared_distance_to_cell(w, order, blocks, lengths) <= taken:
                if found < names.size:
                    names[found] = _name(z, t, period)
                found += 1
    return found


@kernel
def weigh(points, salts, weights, unit, grown, roundings, period, names, slots, remembered, ends):
    """Add the weight of each row to the slot of each of its covers, which are full at some point.

    The slots of row i are remembered up to ends[i], those of all rows one after the other, as far as there is room.
    The largest number of covers of one row.
    """
    largest, at = 0, 0
    mask = U(slots.size - 1)
    for i in range(points.shape[0]):
        found = cover_names(points[i], unit, grown, roundings, period, names)
        largest = max(largest, found)
        for j in range(min(found, names.size)):
            slot = (names[j] ^ salts[i]) & mask
            slots[slot] = min(np.int64(slots[slot]) + weights[i], FULL)
            if at < remembered.size:
                remembered[at] = slot
            at += 1
        ends[i] = at
    return largest


@kernel
def mark_remembered(remembered, ends, slots, threshold, heavy):
    """For each row, whether one of its slots, which are remembered, holds more than the threshold."""
    at = 0
    for i in range(ends.size):
        while at < ends[i]:
            if slots[remembered[at]] > threshold:
                heavy[i] = True
            at += 1


@kernel
def mark(points, salts, unit, grown, roundings, period, names, slots, threshold, heavy):
    """For each row, whether the slot of one of its covers holds more than the threshold.

    The largest number of covers of one row; if there is no room for so many names, some were not looked at.
    """
    largest = 0
    mask = U(slots.size - 1)
    for i in range(points.shape[0]):
        found = cover_names(points[i], unit, grown, roundings, period, names)
        largest = max(largest, found)
        for j in range(min(found, names.size)):
            if slots[(names[j] ^ salts[i]) & mask] > threshold:
                heavy[i] = True
                break
    return largest


@kernel
def emit(points, salts, unit, grown, roundings, period, names, slots, threshold, low, high, members, rows):
    """The covers of each row whose slot holds more than the threshold, of the covers whose names lie from low to high.

    How many these are; -1 if they are more than there is room for.
    """
    mask = U(slots.size - 1)
    filled = 0
    for i in range(points.shape[0]):
        for j in range(cover_names(points[i], unit, grown, roundings, period, names)):
            leading = names[j] >> U(64 - NAME_BITS)
            if slots[(names[j] ^ salts[i]) & mask] > threshold and U(low) <= leading and leading < U(high):
                if filled == members.size:
                    return -1
                members[filled] = names[j]
                rows[filled] = i
                filled += 1
    return filled
