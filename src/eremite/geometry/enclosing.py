"""Smallest enclosing ball, with a certificate (claims B1 to B3 of `enclosing.proof.md`).

An active-set method on the dual: the center is a convex combination of a few support points; while a point lies
outside, it joins the support, and points whose weight would turn negative leave (Fischer, Gärtner and Kutz 2003 walk
the primal ball along the same supports). Affinely dependent supports, which duplicates, collinear and cospherical
points bring about, are resolved by moving along the dependency until a weight vanishes. Every round raises the lower
bound.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eremite.engines.pair import kernel
from eremite.errors import InputError

_DEPENDENT = 1e-11  # a pivot this small against its diagonal entry means affine dependence
_CLOSED = 1e-13  # relative gap between the bounds at which the ball counts as found


def smallest_enclosing_ball(points: ArrayLike) -> tuple[NDArray[np.float64], float]:
    """Center and Euclidean radius of the smallest ball around the points; the ball does contain them all."""
    rows = np.array(points, dtype=np.float64, order="C", ndmin=2)
    if rows.ndim != 2 or rows.size == 0 or not np.isfinite(rows).all():
        raise InputError("An enclosing ball needs one or more points with one or more finite coordinates each.")
    # In units of the points' extent nothing overflows.
    origin = rows[0].copy()
    extent = float(np.abs(rows - origin).max()) or 1.0
    rows = (rows - origin) / extent
    center = np.empty(rows.shape[1])
    _, outer = enclose(rows, np.arange(len(rows)), len(rows), -1.0, -1.0, center)
    return origin + extent * center, float(np.sqrt(outer)) * extent


@kernel
def _combine(rows, members, weights, size, center):
    center[:] = 0.0
    for s in range(size):
        for c in range(center.size):
            center[c] += weights[s] * rows[members[s], c]


@kernel
def _squared(rows, i, center):
    total = 0.0
    for c in range(center.size):
        total += (rows[i, c] - center[c]) * (rows[i, c] - center[c])
    return total


@kernel
def _factor(rows, members, size, gram):
    """Cholesky factor, in place, of the products of the support's edges from its first point.

    Returns the first edge that depends on the ones before it (then rows up to there are factored), or `size` - 1.
    """
    for i in range(size - 1):
        for j in range(i + 1):
            total = 0.0
            for c in range(rows.shape[1]):
                base = rows[members[0], c]
                total += (rows[members[i + 1], c] - base) * (rows[members[j + 1], c] - base)
            gram[i, j] = total
        diagonal = gram[i, i]
        for j in range(i + 1):
            total = gram[i, j]
            for m in range(j):
                total -= gram[i, m] * gram[j, m]
            if i == j:
                if total <= _DEPENDENT * diagonal or diagonal == 0.0:
                    return i
                gram[i, i] = np.sqrt(total)
            else:
                gram[i, j] = total / gram[j, j]
    return size - 1


@kernel
def _solve(gram, n, x):
    """Solve with the factor of `_factor`; x holds the right-hand side, then the solution."""
    for i in range(n):
        for j in range(i):
            x[i] -= gram[i, j] * x[j]
        x[i] /= gram[i, i]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= gram[j, i] * x[j]
        x[i] /= gram[i, i]


@kernel
def _edge_product(rows, members, i, j):
    total = 0.0
    for c in range(rows.shape[1]):
        base = rows[members[0], c]
        total += (rows[members[i], c] - base) * (rows[members[j], c] - base)
    return total


@kernel
def _circumcenter(rows, members, size, gram, wanted):
    """Affine weights of the point that is equally far from all members, which are affinely independent."""
    for i in range(size - 1):
        wanted[i] = 0.5 * _edge_product(rows, members, i + 1, i + 1)
    _solve(gram, size - 1, wanted)
    for i in range(size - 1, 0, -1):
        wanted[i] = wanted[i - 1]
    wanted[0] = 1.0
    for i in range(1, size):
        wanted[0] -= wanted[i]


@kernel
def _dependency(rows, members, edge, gram, wanted):
    """Weights that sum to 0 and leave the center where it is, pointing where the lower bound rises or stays."""
    for j in range(edge):
        wanted[j] = _edge_product(rows, members, edge + 1, j + 1)
    _solve(gram, edge, wanted)
    rise = _edge_product(rows, members, edge + 1, edge + 1)
    first = -1.0
    for j in range(edge, 0, -1):
        wanted[j] = -wanted[j - 1]
    wanted[edge + 1] = 1.0
    for j in range(1, edge + 1):
        rise += wanted[j] * _edge_product(rows, members, j, j)
        first -= wanted[j]
    wanted[0] = first
    if rise < 0.0:
        for j in range(edge + 2):
            wanted[j] = -wanted[j]


@kernel
def _leave(members, weights, size, gone):
    """Take a member out; the others keep their order."""
    for s in range(gone, size - 1):
        members[s] = members[s + 1]
        weights[s] = weights[s + 1]
    return size - 1


@kernel
def _settle(rows, members, weights, size, gram, wanted):
    """Move the weights to those of the circumcenter, dropping members whose weight vanishes on the way."""
    while size > 1:
        edge = _factor(rows, members, size, gram)
        last = size
        if edge < size - 1:
            _dependency(rows, members, edge, gram, wanted)
            last = edge + 2
            for s in range(last):
                wanted[s] += weights[s]  # one unit along the dependency
        else:
            _circumcenter(rows, members, size, gram, wanted)
        step = np.inf
        gone = -1
        for s in range(last):
            if wanted[s] < weights[s]:
                share = weights[s] / (weights[s] - wanted[s])
                if share < step:
                    step = share
                    gone = s
        if edge == size - 1 and (gone < 0 or step >= 1.0):
            for s in range(size):
                weights[s] = wanted[s]
            return size
        for s in range(last):
            weights[s] = max(0.0, weights[s] + step * (wanted[s] - weights[s]))
        size = _leave(members, weights, size, gone)
    weights[0] = 1.0
    return size


@kernel
def enclose(rows, chosen, count, accept, reject, center):
    """Squared lower and upper bounds on the radius of the ball around rows[chosen[:count]]; `center` gives the upper.

    Stops early once the upper bound is at most `accept`, or the lower bound exceeds `reject` (reject < 0: never).
    """
    d = rows.shape[1]
    members = np.empty(d + 2, np.int64)
    weights = np.empty(d + 2)
    gram = np.empty((d + 1, d + 1))
    wanted = np.empty(d + 2)
    members[0] = chosen[0]
    weights[0] = 1.0
    size = 1
    lower = 0.0
    while True:
        _combine(rows, members, weights, size, center)
        inner = 0.0
        for s in range(size):
            inner += weights[s] * _squared(rows, members[s], center)
        upper = -1.0
        farthest = -1
        for i in range(count):
            distance = _squared(rows, chosen[i], center)
            if distance > upper:
                upper = distance
                farthest = chosen[i]
        done = upper <= inner * (1.0 + _CLOSED) or inner <= lower
        lower = max(lower, inner)
        if size == 1:
            done = upper == 0.0
        if done or upper <= accept or (reject >= 0.0 and lower > reject):
            return min(lower, upper), upper
        for s in range(size):
            if members[s] == farthest:
                return min(lower, upper), upper
        members[size] = farthest
        weights[size] = 0.0
        size = _settle(rows, members, weights, size + 1, gram, wanted)
