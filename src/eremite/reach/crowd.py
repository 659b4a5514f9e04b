"""How rows in heavy covers fall apart: components, closed forms, programs (claim F3 of `reach.proof.md`).

Rows of one place with the same gap are one entry, with their number in `copies`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from eremite.reach.covers import Heavy
from eremite.reach.passes import settle, sign, unite

Ints = NDArray[np.int64]

#: Variables of small components that are solved as one program.
_TOGETHER = 2_000


@dataclass(frozen=True, slots=True, eq=False)
class Crowd:
    """Rows by component.

    Attributes:
        free: How many are in no heavy cover.
        closed: What those of components with a closed form count.
        program: For each place, the number of its program; -1 if it is in none.
        variable: For each place in a program, its variable there.
    """

    free: int
    closed: Fraction
    program: Ints
    variable: Ints

    @property
    def programs(self) -> int:
        """How many there are."""
        return int(self.program.max(initial=-1)) + 1


def crowd_of(gaps: Ints, copies: Ints, covers: Iterable[Heavy], reach: int) -> Crowd:
    """Take the rows apart."""
    n = len(gaps)
    parents, widest, signatures, first = np.arange(n), np.zeros(n, np.int64), np.zeros(n, np.uint64), 0
    for part in covers:
        unite(parents, part.rows, part.begins)
        sign(part.rows, part.begins, first, signatures)
        if len(part):
            np.maximum.at(widest, part.rows[part.begins[:-1]], np.diff(part.begins))
        first += len(part)
    settle(parents)
    sizes = np.bincount(parents, minlength=n)
    np.maximum.at(widest, parents, widest)
    is_closed, is_open = (widest > 0) & (widest == sizes), (widest > 0) & (widest < sizes)
    ends = _by_component(parents, is_closed)
    closed = sum((one_cover(gaps[some], copies[some], reach) for some in ends), Fraction(0))
    free = int(copies[widest[parents] == 0].sum())
    return Crowd(free, closed, *_programs(gaps, parents, signatures, is_open[parents]))


def one_cover(gaps: Ints, copies: Ints, reach: int) -> Fraction:
    """The closed form of a component that one cover holds: the widest gaps come first, as they weigh least."""
    total, room = Fraction(0), Fraction(reach)
    widths, which = np.unique(gaps, return_inverse=True)
    counts = np.zeros(widths.size, np.int64)
    np.add.at(counts, which, copies)
    for c, count in zip(widths[::-1].tolist(), counts[::-1].tolist(), strict=True):
        taken = min(Fraction(count), room * c)
        total, room = total + taken, room - taken / c
    return total


def _by_component(parents: Ints, chosen: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    """The places of each of the chosen components."""
    rows = np.flatnonzero(chosen[parents])
    rows = rows[np.argsort(parents[rows], kind="stable")]
    return np.split(rows, np.flatnonzero(np.diff(parents[rows])) + 1) if rows.size else []


def _programs(
    gaps: Ints, parents: Ints, signatures: NDArray[np.uint64], is_open: NDArray[np.bool_]
) -> tuple[Ints, Ints]:
    """The program and the variable of each place: small components together, those with the same covers as one."""
    program, variable = np.full(len(gaps), -1), np.full(len(gaps), -1)
    rows = np.flatnonzero(is_open)
    if not rows.size:
        return program, variable
    order = rows[np.lexsort((signatures[rows], gaps[rows], parents[rows]))]
    keys = (parents[order], gaps[order], signatures[order])
    new = np.append(True, np.logical_or.reduce([key[1:] != key[:-1] for key in keys]))
    number = np.cumsum(new) - 1
    begins = np.flatnonzero(np.append(True, keys[0][1:] != keys[0][:-1]))  # of components
    firsts = number[begins]
    batch, start, batches = np.empty(begins.size, np.int64), 0, 0
    for at, (begin, end) in enumerate(zip(firsts.tolist(), [*firsts[1:].tolist(), int(number[-1]) + 1], strict=True)):
        if at and end - start > _TOGETHER:
            start, batches = begin, batches + 1
        batch[at] = batches
    program[order] = np.repeat(batch, np.diff(np.append(begins, order.size)))
    first_of = np.zeros(batches + 1, np.int64)
    np.maximum.at(first_of, batch[::-1], 0)
    first_of[batch[::-1]] = firsts[::-1]
    variable[order] = number - first_of[program[order]]
    return program, variable
