"""The one expression that decides whether two rows are neighbors.

    (x_1 - y_1)^2 + (x_2 - y_2)^2 + ... + (x_d - y_d)^2  <=  radius * radius * d

in float64, squares added in column order, nothing fused or reordered. It is symmetric, since (x - y)^2 and (y - x)^2
are the same float, so "neighbor" is a relation between two rows and not between a row and a path through the code:
every kernel ends here or in a decision that this expression could not contradict. `engines.proof.md` proves it, claim
by claim.

Two facts let a kernel decide without evaluating it. Rounding keeps order (E1): partial sums never shrink (E3), and the
same expression on the nearest or farthest coordinates of two boxes bounds it, in floats, for all rows of the boxes
(E4). And the whole sum carries a relative error of about (d + 2) * 2**-53, besides what is too small to matter (E5), so
any other bound on the true distance settles the outcome if it clears the squared radius by SLACK (E9 to E12).
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal, TypeVar, cast

import numpy as np
from numba import njit
from numba.core.caching import FunctionCache
from numba.core.sigutils import normalize_signature
from numpy.typing import NDArray

Function = TypeVar("Function", bound=Callable[..., Any])

#: Relative margin on the squared radius that a bound must clear before it replaces the expression (E9, E12).
#: Rounding moves a sum of a million squares by less than 1e-9 (E5), a border between cells by less than 1e-8 (E9).
SLACK = 1e-6

#: Up to this many columns the loop over columns is unrolled (the columns travel as a tuple, so d is part of its type).
UNROLLED = 8


class _Kept(FunctionCache):  # pragma: no cover -- where lines are counted, nothing is compiled
    """What was compiled, on disk; taken from there only if it is for the types that are asked for.

    Two processes that compile a function at the same time, for other types each, may give both results the same name.
    Numba would then run the one on the arrays of the other, and count wrong without a word.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = super().load_overload(sig, target_context)
        return found if found is not None and found.signature.args == normalize_signature(sig)[0] else None


def _compiled(inline: Literal["never", "always"]) -> Callable[[Function], Function]:
    """Compile on first use and keep the result on disk, or in memory alone where there is nowhere to write it."""

    def decorate(function: Function) -> Function:
        # No `fastmath`: nothing may be fused or reordered (E17).
        compiled: Any = njit(nogil=True, error_model="numpy", inline=inline)(function)
        if hasattr(compiled, "enable_caching"):  # pragma: no cover -- it is compiled, then
            with suppress(RuntimeError):
                compiled._cache = _Kept(function)
        return cast("Function", compiled)

    return decorate


kernel = _compiled("never")
inlined = _compiled("always")

# Unsigned indices: a signed one might be negative, and the wrap-around test for that keeps the loop from vectorising.
U = np.uint64

Columns = NDArray[np.float64]
Axes = tuple[int, ...]


def squared_radius(radius: float, d: int) -> float:
    """The right-hand side of the expression."""
    return float(radius) * float(radius) * d


def unrolled_axes(d: int) -> Axes:
    """What selects the unrolled loop: the column numbers as a tuple, or the empty tuple for the loop over blocks."""
    return tuple(range(d)) if d <= UNROLLED else ()


@inlined
def scan_few(columns, axes, row, start, stop, squared):
    """How many of the rows [start, stop) are neighbors of `row`; `columns[c, j]` is column c of row j."""
    found = U(0)
    for j in range(U(start), U(stop)):
        total = 0.0
        for c in range(len(axes)):
            difference = columns[U(c), j] - row[U(c)]
            total += difference * difference
        found += U(total <= squared)
    return np.int64(found)


@kernel
def scan_many(columns, row, start, stop, squared, totals):
    """`scan_few` for many columns: row by row in `totals`, given up once every partial sum exceeds `squared` (E3)."""
    n = stop - start
    totals[:n] = 0.0
    for c in range(columns.shape[0]):
        values = columns[c, start:stop]
        for j in range(n):
            difference = values[j] - row[c]
            totals[j] += difference * difference
        if c % 8 == 7 and totals[:n].min() > squared:
            return 0
    return (totals[:n] <= squared).sum()


@inlined
def sums_of_squares(columns, row, start, stop, totals):
    """The left-hand side of the expression for `row` and each of the rows [start, stop), into `totals`."""
    n = stop - start
    totals[:n] = 0.0
    for c in range(columns.shape[0]):
        values = columns[c, start:stop]
        for j in range(n):
            difference = values[j] - row[c]
            totals[j] += difference * difference


@inlined
def gap_to_box(low, high, node, row):
    """The smallest value that the expression can have for this row and a row of the box, in floats (E4)."""
    total = 0.0
    for c in range(row.size):
        gap = max(max(low[node, c] - row[c], row[c] - high[node, c]), 0.0)
        total += gap * gap
    return total


#: Whether kernels are compiled; else they run as the Python they are written in.
COMPILES = hasattr(scan_many, "enable_caching")
