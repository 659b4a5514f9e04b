"""F_D between two fractions: cutting planes in floats, a certificate, and fractions where it is not narrow enough.

Claims F1 to F4 of `reach.proof.md`.
"""

from collections import Counter
from collections.abc import Iterable
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
from eremite.reach.passes import hold, pick
from eremite.reach.program import Program

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Rows = NDArray[np.int32]

_ENOUGH = 1e-8  # a cover that holds so much more than D, relatively, is added
_WORTHLESS = 4  # prices that say so many times more than there are rows say nothing


def capped_sum(deficits: Ints, covers: Iterable[Heavy], reach: int, fineness: int) -> tuple[Fraction, Fraction]:
    """F_D of outliers that lack so many neighbors: fractions around it, at most 1 / fineness apart. Private."""
    crowd = crowd_of(deficits, covers, reach)
    known = crowd.free + crowd.closed
    if crowd.programs == 0:
        return known, known
    bounds = _bounds(_solved(crowd, deficits, covers, reach), crowd, deficits, covers, reach, fineness)
    bounds.sort(key=lambda bound: bound.high - bound.low)
    while sum(bound.high - bound.low for bound in bounds) > Fraction(1, fineness):
        widest = bounds.pop()
        value = _exactly(widest.program, crowd, deficits, covers, reach)
        bounds.insert(0, _Bound(widest.program, value, value))
    return known + sum(bound.low for bound in bounds), known + sum(bound.high for bound in bounds)


@dataclass(frozen=True, slots=True)
class _Bound:
    """What the outliers of a program count, between two fractions."""

    program: int
    low: Fraction
    high: Fraction


@dataclass(slots=True, eq=False)
class _Solution:
    """u of all outliers, 0 for those in no program; for each program the rows of its covers, and their prices."""

    u: Floats
    covers: list[list[Rows]]
    prices: list[Floats]


def _solved(crowd: Crowd, deficits: Ints, covers: Iterable[Heavy], reach: int) -> _Solution:
    """Add covers that hold too much until there are none, or the solver does not keep to those it has."""
    programs, rows_of = _programs(crowd, deficits, reach)
    u = np.where(crowd.program >= 0, 1 / deficits, 0.0)
    added: list[list[Rows]] = [[] for _ in programs]
    known = set[tuple[int, int]]()
    stuck = np.zeros(len(programs), np.bool_)
    while new := _overfull(u, crowd, covers, reach * (1 + _ENOUGH), known, stuck):
        for number, some in new.items():
            program, rows = programs[number], rows_of[number]
            added[number] += some
            program.add([np.unique(crowd.variable[one]).astype(np.int32) for one in some])
            each = program.solve() / program.copies
            u[rows] = each[crowd.variable[rows]]
    prices = [program.prices for program in programs]
    for program in programs:
        program.forget()
    return _Solution(u, added, prices)


def _programs(crowd: Crowd, deficits: Ints, reach: int) -> tuple[list[Program], list[NDArray[np.intp]]]:
    order = np.argsort(crowd.program, kind="stable")
    order = order[crowd.program[order] >= 0]
    rows_of = np.split(order, np.flatnonzero(np.diff(crowd.program[order])) + 1)
    programs = []
    for rows in rows_of:
        copies = np.bincount(crowd.variable[rows])
        lacking = np.zeros(copies.size)
        lacking[crowd.variable[rows]] = deficits[rows]
        programs.append(Program(lacking, copies.astype(np.float64), reach))
    return programs, rows_of


def _overfull(
    u: Floats,
    crowd: Crowd,
    covers: Iterable[Heavy],
    limit: float,
    known: set[tuple[int, int]],
    stuck: NDArray[np.bool_],
) -> dict[int, list[Rows]]:
    """Covers that hold more than the limit, by program, fullest first; those that overlap much with others wait."""
    new = dict[int, list[Rows]]()
    taken = np.zeros(u.size, np.bool_)
    for number, part in enumerate(covers):
        held = np.zeros(len(part))
        hold(u, part.rows, part.begins, held)
        order = np.flatnonzero(held > limit)
        order = order[np.argsort(-held[order], kind="stable")]
        order = order[~stuck[crowd.program[part.rows[part.begins[order]]]]]
        picked = np.zeros(order.size, np.bool_)
        pick(order, part.rows, part.begins, taken, picked)
        for cover in order[picked].tolist():
            rows = part.rows[part.begins[cover] : part.begins[cover + 1]]
            program = int(crowd.program[rows[0]])
            if (number, cover) in known:
                stuck[program] = True  # the solver does not keep to a cover that it has
                new.pop(program, None)
            elif not stuck[program]:
                known.add((number, cover))
                new.setdefault(program, []).append(rows)
    return new


def _bounds(
    found: _Solution, crowd: Crowd, deficits: Ints, covers: Iterable[Heavy], reach: int, fineness: int
) -> list[_Bound]:
    """What each program is worth at least and at most, whatever was found (claims F1 and F2)."""
    scale = Scale.of(deficits, reach, fineness)
    open_rows = np.flatnonzero(crowd.program >= 0)
    program = crowd.program[open_rows]
    low, high = scale.zeros(crowd.programs), scale.zeros(crowd.programs)
    whole = feasible(found.u, deficits, reach, covers, scale)
    np.add.at(low, program, (whole * deficits)[open_rows])
    sizes = np.bincount(program)
    wholes = [
        scale.wholes(prices if reach * prices.sum() <= _WORTHLESS * sizes[number] else np.zeros(prices.size))
        for number, prices in enumerate(found.prices)
    ]
    members = [rows for some in found.covers for rows in some]
    high += np.array([reach * int(prices.sum()) for prices in wholes], scale.kind)
    np.add.at(high, program, left_over(np.concatenate(wholes), members, deficits, scale)[open_rows])
    one = 1 << scale.digits
    return [
        _Bound(number, *(Fraction(int(bound[number]), one) for bound in (low, high)))
        for number in range(crowd.programs)
    ]


def _exactly(program: int, crowd: Crowd, deficits: Ints, covers: Iterable[Heavy], reach: int) -> Fraction:
    """What a program is worth, in fractions (claim F4)."""
    memberships: dict[int, list[int]] = {row: [] for row in np.flatnonzero(crowd.program == program).tolist()}
    count = 0
    for part in covers:
        for begin, end in pairwise(part.begins.tolist()):
            if crowd.program[part.rows[begin]] == program:
                for row in part.rows[begin:end].tolist():
                    memberships[row].append(count)
                count += 1
    alike = Counter((int(deficits[row]), tuple(some)) for row, some in memberships.items())
    gains = [c for c, _ in alike]
    inside: list[list[int]] = [[] for _ in range(count)]
    for variable, (_, some) in enumerate(alike):
        for cover in some:
            inside[cover].append(variable)
    most = [fmpq(copies, c) for (c, _), copies in alike.items()]
    value = maximum(gains, most, reach, [list(one) for one in dict.fromkeys(map(tuple, inside))])
    return Fraction(int(value.p), int(value.q))
