"""F_D between two fractions: cutting planes in floats, a certificate, and fractions where it is not narrow enough.

Claims F1 to F4 of `reach.proof.md`.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from eremite.reach.certificate import Scale, feasible, left_over
from eremite.reach.covers import Heavy
from eremite.reach.crowd import Crowd, crowd_of
from eremite.reach.exact import maximum
from eremite.reach.passes import fullest, hold, pick
from eremite.reach.program import Program

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Rows = NDArray[np.int32]

_ENOUGH = 1e-8  # a cover that holds so much more than D, relatively, is added
_LITTLE = 1 / 16  # of the width of the bracket: where all covers that hold too much cost less, no more are added
_WORTHLESS = 4  # prices that say so many times more than there are rows say nothing


def capped_sum(
    gaps: Ints, copies: Ints, covers: Iterable[Heavy], reach: int, fineness: int
) -> tuple[Fraction, Fraction]:
    """F_D of places with so many rows of these gaps, or P_D of core rows: fractions around it, at most 1 / fineness
    apart. Private."""
    crowd = crowd_of(gaps, copies, covers, reach)
    known = crowd.free + crowd.closed
    if crowd.programs == 0:
        return known, known
    task = _Task(crowd, gaps, copies, covers, reach, fineness)
    found = task.solved()
    bounds = task.bounds(found)
    if _width(bounds) > Fraction(1, fineness):
        again = task.bounds(task.solved(otherwise_than=found))
        bounds = [_Bound(a.program, max(a.low, b.low), min(a.high, b.high)) for a, b in zip(bounds, again, strict=True)]
    bounds.sort(key=lambda bound: bound.high - bound.low)
    while _width(bounds) > Fraction(1, fineness):
        bounds.insert(0, task.exactly(bounds.pop().program))
    return known + sum(bound.low for bound in bounds), known + sum(bound.high for bound in bounds)


@dataclass(frozen=True, slots=True)
class _Bound:
    """What the rows of a program count, between two fractions."""

    program: int
    low: Fraction
    high: Fraction


def _width(bounds: Sequence[_Bound]) -> Fraction:
    return sum((bound.high - bound.low for bound in bounds), Fraction(0))


@dataclass(slots=True, eq=False)
class _Solution:
    """u of all places, 0 for those in no program; for each program the rows of its covers, their prices, and whether an
    interior point was asked for them."""

    u: Floats
    covers: list[list[Rows]]
    prices: list[Floats]
    by_interior: list[bool]


@dataclass(frozen=True, slots=True, eq=False)
class _Task:
    """Programs to solve, each over its own places and covers."""

    crowd: Crowd
    gaps: Ints
    copies: Ints
    covers: Iterable[Heavy]
    reach: int
    fineness: int

    def solved(self, *, otherwise_than: _Solution | None = None) -> _Solution:
        """Add covers that hold too much until these cost next to nothing, or there are no others.

        One that was added may still hold a little too much, as floats drift: the certificate pays for it.
        """
        variable = self.crowd.variable
        programs, rows_of = self._programs()
        for program, by_interior in zip(programs, otherwise_than.by_interior if otherwise_than else [], strict=False):
            program.solve_otherwise(by_interior=not by_interior)
        u = np.where(self.crowd.program >= 0, self.copies / self.gaps, 0.0)
        found, known = _Solution(u, [[] for _ in programs], [], []), dict[int, NDArray[np.bool_]]()
        while new := self._overfull(found.u, known):
            for number, some in new.items():
                program, rows = programs[number], rows_of[number]
                found.covers[number] += some
                program.add([np.unique(variable[one]).astype(np.int32) for one in some])
                shares = program.solve() / program.copies
                found.u[rows] = shares[variable[rows]] * self.copies[rows]
        found.prices = [program.prices for program in programs]
        found.by_interior = [program.by_interior for program in programs]
        for program in programs:
            program.forget()
        return found

    def _programs(self) -> tuple[list[Program], list[NDArray[np.intp]]]:
        """The programs, and the places of each."""
        order = np.argsort(self.crowd.program, kind="stable")
        order = order[self.crowd.program[order] >= 0]
        rows_of = np.split(order, np.flatnonzero(np.diff(self.crowd.program[order])) + 1)
        programs = []
        for rows in rows_of:
            copies = np.bincount(self.crowd.variable[rows], self.copies[rows]).astype(np.float64)
            widths = np.zeros(copies.size)
            widths[self.crowd.variable[rows]] = self.gaps[rows]
            programs.append(Program(widths, copies, self.reach))
        return programs, rows_of

    def _overfull(self, u: Floats, known: dict[int, NDArray[np.bool_]]) -> dict[int, list[Rows]]:
        """Covers that hold too much and were not added, by program, fullest first; those mostly in others wait."""
        new = dict[int, list[Rows]]()
        taken, most = np.zeros(u.size, np.bool_), np.full(u.size, float(self.reach))
        for number, part in enumerate(self.covers):
            held = np.zeros(len(part))
            hold(u, part.rows, part.begins, held)
            fullest(held, part.rows, part.begins, most)
            added = known.setdefault(number, np.zeros(len(part), np.bool_))
            for cover in self._picked(part, held, taken, added):
                rows = part.rows[part.begins[cover] : part.begins[cover + 1]]
                new.setdefault(int(self.crowd.program[rows[0]]), []).append(rows)
                added[cover] = True
        cost = float((self.gaps * u * (1 - self.reach / most)).sum())
        return new if cost > _LITTLE / self.fineness else {}

    def _picked(self, part: Heavy, held: Floats, taken: NDArray[np.bool_], added: NDArray[np.bool_]) -> list[int]:
        order = np.flatnonzero((held > self.reach * (1 + _ENOUGH)) & ~added)
        order = order[np.argsort(-held[order], kind="stable")]
        picked = np.zeros(order.size, np.bool_)
        pick(order, part.rows, part.begins, taken, picked)
        chosen: list[int] = order[picked].tolist()
        return chosen

    def bounds(self, found: _Solution) -> list[_Bound]:
        """What each program is worth at least and at most, whatever was found (claims F1 and F2)."""
        open_rows = np.flatnonzero(self.crowd.program >= 0)
        scale = Scale.of(self.gaps[open_rows], self.copies[open_rows], self.reach, self.fineness)
        program = self.crowd.program[open_rows]
        low, high = scale.zeros(self.crowd.programs), scale.zeros(self.crowd.programs)
        whole = feasible(found.u, self.gaps, self.copies, self.reach, self.covers, scale)
        np.add.at(low, program, (whole * self.gaps)[open_rows])
        sizes = np.bincount(program, self.copies[open_rows])
        wholes = [
            scale.wholes(prices if self.reach * prices.sum() <= _WORTHLESS * sizes[number] else np.zeros(prices.size))
            for number, prices in enumerate(found.prices)
        ]
        members = [rows for some in found.covers for rows in some]
        high += np.array([self.reach * int(prices.sum()) for prices in wholes], scale.kind)
        left = left_over(np.concatenate(wholes), members, self.gaps, self.copies, scale)
        np.add.at(high, program, left[open_rows])
        one = 1 << scale.digits
        return [
            _Bound(number, *(Fraction(int(bound[number]), one) for bound in (low, high)))
            for number in range(self.crowd.programs)
        ]

    def exactly(self, program: int) -> _Bound:
        """What a program is worth, in fractions (claim F4)."""
        rows = np.flatnonzero(self.crowd.program == program).tolist()
        memberships: dict[int, list[int]] = {row: [] for row in rows}
        count = 0
        for part in self.covers:
            for begin, end in pairwise(part.begins.tolist()):
                if self.crowd.program[part.rows[begin]] == program:
                    for row in part.rows[begin:end].tolist():
                        memberships[row].append(count)
                    count += 1
        alike = Counter[tuple[int, tuple[int, ...]]]()
        for row, some in memberships.items():
            alike[int(self.gaps[row]), tuple(some)] += int(self.copies[row])
        inside: list[list[int]] = [[] for _ in range(count)]
        for variable, (_, its_covers) in enumerate(alike):
            for cover in its_covers:
                inside[cover].append(variable)
        gains, most = [c for c, _ in alike], [fmpq(copies, c) for (c, _), copies in alike.items()]
        value = maximum(gains, most, self.reach, [list(one) for one in dict.fromkeys(map(tuple, inside))])
        exact = Fraction(int(value.p), int(value.q))
        return _Bound(program, exact, exact)
