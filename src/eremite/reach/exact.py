"""The same linear program in exact fractions, for what floats could not settle: slow, and it always ends.

Simplex with bounded variables and Bland's rule (1977): no basis comes twice, so there is an end. Covers are added while
one holds more than D; there are finitely many of them.
"""

from collections.abc import Sequence

from flint import fmpq


def maximum(gains: Sequence[int], most: Sequence[fmpq], reach: int, covers: Sequence[Sequence[int]]) -> fmpq:
    """The largest sum of gains[i] u[i] over 0 <= u[i] <= most[i], no cover holding more than `reach`. Exact."""
    added: list[Sequence[int]] = []
    solution = list(most)
    while over := [one for one in covers if sum((solution[i] for i in one), fmpq(0)) > reach]:
        added.append(max(over, key=lambda one: sum((solution[i] for i in one), fmpq(0))))
        solution = solved(gains, most, reach, added)
    return sum((gain * u for gain, u in zip(gains, solution, strict=True)), fmpq(0))


def solved(gains: Sequence[int], most: Sequence[fmpq], reach: int, covers: Sequence[Sequence[int]]) -> list[fmpq]:
    """An optimal u for these covers alone."""
    n = len(gains)
    table = [_row(cover, n, len(covers), place) for place, cover in enumerate(covers)]
    bounds: list[fmpq | None] = [*most, *([None] * len(covers))]
    basis = [n + place for place in range(len(covers))]  # the slack of each cover
    values = [fmpq(reach)] * len(covers)
    at_most = [False] * (n + len(covers))  # which of the others are at their upper bound, and not at 0
    reduced = [fmpq(gain) for gain in gains] + [fmpq(0)] * len(covers)
    while (entering := _entering(reduced, at_most, set(basis))) is not None:
        _move(table, values, basis, bounds, at_most, reduced, entering)
    found = [most[i] if at_most[i] else fmpq(0) for i in range(n)]
    for variable, value in zip(basis, values, strict=True):
        if variable < n:
            found[variable] = value
    return found


def _row(cover: Sequence[int], n: int, covers: int, place: int) -> list[fmpq]:
    row = [fmpq(0)] * (n + covers)
    for variable in cover:
        row[variable] = fmpq(1)
    row[n + place] = fmpq(1)
    return row


def _entering(reduced: list[fmpq], at_most: list[bool], basic: set[int]) -> int | None:
    """The first variable outside of the basis that gains by leaving its bound."""
    for i, gain in enumerate(reduced):
        if i not in basic and (gain < 0 if at_most[i] else gain > 0):
            return i
    return None


def _move(
    table: list[list[fmpq]],
    values: list[fmpq],
    basis: list[int],
    bounds: list[fmpq | None],
    at_most: list[bool],
    reduced: list[fmpq],
    entering: int,
) -> None:
    """Move the entering variable from its bound as far as the others allow; one that stops it leaves the basis."""
    sign = -1 if at_most[entering] else 1
    furthest, leaving, to_most = bounds[entering], -1, False
    for place, row in enumerate(table):
        slope = sign * row[entering]
        bound = bounds[basis[place]]
        if slope > 0:
            step, upper = values[place] / slope, False
        elif slope < 0 and bound is not None:
            step, upper = (values[place] - bound) / slope, True
        else:
            continue
        first = leaving >= 0 and step == furthest and basis[place] < basis[leaving]
        if furthest is None or step < furthest or first:
            furthest, leaving, to_most = step, place, upper
    assert furthest is not None  # every variable is in a cover or has a bound  # noqa: S101
    for place, row in enumerate(table):
        values[place] -= sign * furthest * row[entering]
    if leaving < 0:
        at_most[entering] = not at_most[entering]
        return
    bound = bounds[entering]
    start = bound if at_most[entering] and bound is not None else fmpq(0)
    at_most[basis[leaving]] = to_most
    basis[leaving], values[leaving] = entering, start + sign * furthest
    at_most[entering] = False
    _pivot(table, reduced, leaving, entering)


def _pivot(table: list[list[fmpq]], reduced: list[fmpq], leaving: int, entering: int) -> None:
    pivot = table[leaving][entering]
    table[leaving] = [value / pivot for value in table[leaving]]
    for row in (*(row for place, row in enumerate(table) if place != leaving), reduced):
        factor = row[entering]
        if factor != 0:
            for i, value in enumerate(table[leaving]):
                if value != 0:
                    row[i] -= factor * value
