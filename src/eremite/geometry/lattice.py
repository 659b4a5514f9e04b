"""Densest disc in the plane, in integers, after every point moved to a public lattice (claims V1 to V4).

Each point goes to the nearest point of a lattice whose step is a power of two, so that R is 2^18 to 2^19 steps long: a
rule that looks at one point and at R alone. A disc that holds points holds their images once its radius is 0.7072 steps
longer, by less than three millionths. From there on every number is an integer and every decision exact: the result
is monotone and 1-Lipschitz in the points, whatever they are. Around a point with m others within 2R it takes m log m
steps. Proofs: `bounds.proof.md`.

Around an image p, the centers at the disc's radius from p form a circle; another image within a diameter covers an arc
of it. The deepest place of that circle is the beginning of an arc, and sorting the ends of the arcs finds it.
"""

from math import frexp

import numpy as np
from numpy.typing import NDArray

from eremite.engines.pair import kernel
from eremite.geometry.graph import Graph

#: R is less than this many steps: products of six differences of images fit into 124 bits (claim V2).
_MOST_STEPS = 2**19
#: Half the diagonal of a square of the lattice, rounded up: no image is further away from its point.
_MOVED = 0.7072
#: Computed places on the circle err by less than 1e-14 (claim V3); closer ones are told apart by integers.
_CLOSE = 1e-12
#: Products in float64 err by less than this part of themselves; closer ones are compared as integers.
_ROUNDED = 1e-14

_BEGINS, _ENDS = -1, 1


def on_lattice(points: NDArray[np.float64], radius: float) -> tuple[NDArray[np.float64], int]:
    """The images of the points, in steps of the lattice, and the squared diameter of the disc, an integer.

    The square is 3 modulo 4: no two images are exactly a diameter apart, and no three different ones lie on the border
    of one disc (claim V2).
    """
    exponent = frexp(radius / _MOST_STEPS)[1]
    steps = np.ldexp(radius, -exponent)
    square = int(np.ceil((2.0 * (steps + _MOVED)) ** 2))
    return np.rint(np.ldexp(points, -exponent)), square + (3 - square) % 4


def lattice_depth(images: NDArray[np.float64], graph: Graph, square: int, floor: int) -> int:
    """The most images in one disc of this squared diameter, or `floor` if larger; `graph` joins those within it."""
    return int(_deepest(images, graph.starts, graph.neighbors, square, floor))


@kernel
def _deepest(images, starts, neighbors, square, floor):
    best = max(floor, 1)
    most = 0
    for p in range(starts.size - 1):
        most = max(most, starts[p + 1] - starts[p])
    arcs = np.empty((most, 3), np.int64)
    places = np.empty(2 * most)
    order = np.empty(2 * most, np.int64)
    spare = np.empty(2 * most, np.int64)
    for p in range(starts.size - 1):
        if starts[p + 1] - starts[p] + 1 > best:
            others = neighbors[starts[p] : starts[p + 1]]
            best = max(best, _around(images, others, p, square, best, arcs, places, order, spare))
    return best


@kernel
def _around(images, others, p, square, best, arcs, places, order, spare):
    """The most images in one disc with p on its border, or `best` if larger."""
    copies = 1
    found = 0
    for q in others:
        x = np.int64(images[q, 0] - images[p, 0])
        y = np.int64(images[q, 1] - images[p, 1])
        far = x * x + y * y
        if far == 0:
            copies += 1
        elif far <= square:
            arcs[found, 0] = x
            arcs[found, 1] = y
            arcs[found, 2] = far
            found += 1
    if copies + found <= best:
        return best
    for arc in range(found):
        places[2 * arc] = _place(arcs, arc, _BEGINS, square)
        places[2 * arc + 1] = _place(arcs, arc, _ENDS, square)
    _count_from_the_first(arcs, found, square, places)
    _sort(arcs, square, places, order, spare, 2 * found)
    return max(best, copies + _most_open(arcs, found, square, places, order))


@kernel
def _place(arcs, arc, side, square):
    """Where an end of an arc lies on the circle, as a number that grows with the angle, from -1 to 3.

    The center there is half of (x - s g y, y + s g x) away from p, with g = sqrt(square / far - 1).
    """
    x, y, far = arcs[arc, 0], arcs[arc, 1], arcs[arc, 2]
    turn = side * np.sqrt((square - far) / far)
    across = x - turn * y
    up = y + turn * x
    part = up / (abs(across) + abs(up))
    return part if across >= 0.0 else 2.0 - part


@kernel
def _inside(arcs, end, side, other, square):
    """1 where an end of an arc lies inside another arc, 0 on its border, -1 outside: the sign of one difference.

    That is `across` sqrt(square - far) - `along` sqrt(far), compared after squaring. Exact: claim V2.
    """
    x, y, far = arcs[end, 0], arcs[end, 1], arcs[end, 2]
    u, v, away = arcs[other, 0], arcs[other, 1], arcs[other, 2]
    across = side * (x * v - y * u)
    along = away - (x * u + y * v)
    if across >= 0 and along <= 0:
        return np.int64(across > 0 or along < 0)
    if across <= 0 and along >= 0:
        return np.int64(-1)
    longer = _compared(abs(across), square - far, abs(along), far)
    return longer if across > 0 else -longer


@kernel
def _compared(a, b, c, d):
    """The sign of a^2 b - c^2 d, for a, c up to 2^42 and b, d up to 2^41: in floats where these are far apart."""
    one = float(a) * float(a) * float(b)
    two = float(c) * float(c) * float(d)
    if abs(one - two) > _ROUNDED * max(one, two):
        return np.int64(1) if one > two else np.int64(-1)
    high, low = _square_times(np.uint64(a), np.uint64(b))
    other_high, other_low = _square_times(np.uint64(c), np.uint64(d))
    if high != other_high:
        return np.int64(1) if high > other_high else np.int64(-1)
    return np.int64(low > other_low) - np.int64(low < other_low)


@kernel
def _square_times(a, b):
    """a^2 b as two words of 64 bits, the high one first."""
    high, low = _times(a, a)
    more, lowest = _times(low, b)
    return high * b + more, lowest


@kernel
def _times(a, b):
    """a b as two words of 64 bits, the high one first, from products of halves that each fit into one."""
    half = np.uint64(32)
    lower = np.uint64(0xFFFFFFFF)
    a_low, a_high = a & lower, a >> half
    b_low, b_high = b & lower, b >> half
    first = a_low * b_low
    middle = a_high * b_low + (first >> half)
    other = a_low * b_high + (middle & lower)
    return a_high * b_high + (middle >> half) + (other >> half), ((other & lower) << half) | (first & lower)


@kernel
def _count_from_the_first(arcs, found, square, places):
    """Let the places start at the beginning of the first arc: from 0 there, once around, to 4."""
    start = places[0]
    for e in range(2 * found):
        place = places[e] - start
        if place < 0.0:
            place += 4.0
        if place < _CLOSE or place > 4.0 - _CLOSE:
            behind = _inside(arcs, e // 2, _ENDS if e % 2 else _BEGINS, 0, square) >= 0
            place = (place if place < 2.0 else 0.0) if behind else 4.0
        places[e] = place


@kernel
def _comes_first(arcs, square, places, one, two):
    """Whether the end `one` comes no later than the end `two`; where they coincide, arcs begin before others end."""
    if abs(places[one] - places[two]) > _CLOSE:
        return places[one] < places[two]
    side = _ENDS if one % 2 else _BEGINS
    relation = _inside(arcs, one // 2, side, two // 2, square)
    if two % 2:  # just before the end of an arc is inside it
        relation = -relation
    return relation < 0 or (relation == 0 and one % 2 <= two % 2)


@kernel
def _sort(arcs, square, places, order, spare, size):
    """Merge sort of the ends, by `_comes_first`."""
    for e in range(size):
        order[e] = e
    width = 1
    while width < size:
        for start in range(0, size, 2 * width):
            one, middle = start, min(start + width, size)
            two, stop = middle, min(start + 2 * width, size)
            for at in range(start, stop):
                if two >= stop or (one < middle and _comes_first(arcs, square, places, order[one], order[two])):
                    spare[at] = order[one]
                    one += 1
                else:
                    spare[at] = order[two]
                    two += 1
        order[:size] = spare[:size]
        width *= 2


@kernel
def _most_open(arcs, found, square, places, order):
    """The most arcs that meet in one place; those that hold the first place are open from the start."""
    now = 0
    for arc in range(found):
        now += _inside(arcs, 0, _BEGINS, arc, square) >= 0
    most = now
    for at in range(2 * found):
        e = order[at]
        if e % 2:
            now -= 1
        elif places[e] >= _CLOSE or _inside(arcs, e // 2, _BEGINS, 0, square) > 0:
            now += 1
            most = max(most, now)
    return most
