"""How outliers fall apart: who is free, what one cover holds, who shares a variable, which programs there are."""

import tracemalloc
from fractions import Fraction

import numpy as np
import pytest

from eremite.reach import crowd as crowds
from eremite.reach.crowd import crowd_of, one_cover
from tests.attacks.reach_by_definition import capped_program
from tests.unit.reach.heavy import parts_of, some_covers


def components(n, covers):
    joined = [{i} for i in range(n)]
    for cover in covers:
        together = set.union(*(joined[i] for i in cover))
        for i in together:
            joined[i] = together
    return {frozenset(one) for one in joined}


@pytest.mark.parametrize("seed", range(30))
def test_closed_form_of_one_cover_is_the_maximum_of_its_program(seed):
    rng = np.random.default_rng(seed)
    gaps = rng.integers(1, (2, 4, 100)[seed % 3], int(rng.integers(1, 9)))
    for reach in (1, 2, 3, 50):
        copies = np.ones(len(gaps), np.int64)
        assert one_cover(gaps, copies, reach) == capped_program(gaps.tolist(), {frozenset(range(len(gaps)))}, reach)


@pytest.mark.parametrize("together", [1, 4, 2_000])
@pytest.mark.parametrize("seed", range(10))
def test_outliers_are_free_in_one_cover_or_in_one_program(seed, together, monkeypatch):
    monkeypatch.setattr(crowds, "_TOGETHER", together)
    rng = np.random.default_rng(seed)
    n = 30
    covers = some_covers(rng, n, int(rng.integers(1, 12)))
    covers += covers[:2]
    gaps, reach = rng.integers(1, 3, n), 1
    crowd, free, closed = crowd_of(gaps, np.ones(n, np.int64), parts_of(covers), reach), 0, Fraction(0)
    for component in components(n, covers):
        rows = sorted(component)
        if len(component) == 1:
            free += 1
        elif any(set(cover) == component for cover in covers):
            closed += one_cover(gaps[rows], np.ones(len(rows), np.int64), reach)
        else:
            assert len(set(crowd.program[rows].tolist())) == 1
            assert crowd.program[rows[0]] >= 0
            continue
        assert (crowd.program[rows] == -1).all()
    assert (crowd.free, crowd.closed) == (free, closed)


@pytest.mark.parametrize("together", [1, 4, 2_000])
@pytest.mark.parametrize("seed", range(10))
def test_variables_are_shared_by_those_in_the_same_covers_that_lack_as_many(seed, together, monkeypatch):
    monkeypatch.setattr(crowds, "_TOGETHER", together)
    rng = np.random.default_rng(seed)
    n = 40
    covers = [[2 * i + side for i in one for side in (0, 1)] for one in some_covers(rng, n // 2, 9)]
    gaps = np.repeat(rng.integers(1, 3, n // 2), 2)
    gaps[::8] = 5
    crowd = crowd_of(gaps, np.ones(n, np.int64), parts_of(covers), 1)
    told: dict[tuple[int, int], set[tuple[int, tuple[int, ...]]]] = {}
    for i in np.flatnonzero(crowd.program >= 0).tolist():
        kind = int(gaps[i]), tuple(number for number, cover in enumerate(covers) if i in cover)
        told.setdefault((int(crowd.program[i]), int(crowd.variable[i])), set()).add(kind)
    assert all(len(kinds) == 1 for kinds in told.values())
    assert len(set.union(*told.values())) == len(told)
    for program in range(crowd.programs):
        variables = sorted(variable for number, variable in told if number == program)
        assert variables == list(range(len(variables)))


def test_nobody_is_taken_apart():
    crowd = crowd_of(np.empty(0, np.int64), np.empty(0, np.int64), [], 1)
    assert (crowd.free, crowd.closed, crowd.programs) == (0, 0, 0)


def test_closed_form_takes_no_memory_for_those_that_lack_very_many():
    tracemalloc.start()
    try:
        assert one_cover(np.full(300, 2**22), np.ones(300, np.int64), 1) == 300
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
