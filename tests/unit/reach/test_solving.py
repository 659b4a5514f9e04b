"""What a solver says is a proposal: whatever it is, the bracket holds the count and is narrow."""

import gc
import os
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from eremite.reach import program, solving
from eremite.reach.program import Program
from eremite.reach.solving import capped_sum
from tests.attacks.reach_by_definition import capped_by_definition, capped_program
from tests.attacks.reach_tables import ours, ours_above
from tests.unit.reach.heavy import apart, parts_of, some_covers

REAL = Program.solve


def made(u, prices):
    """A solver that says this; both are asked for with the program."""

    def solve(self, **_):
        said = REAL(self)
        self.prices = np.asarray(prices(self, self.prices), dtype=np.float64)
        return np.asarray(u(self, said), dtype=np.float64)

    return solve


def same(_, said):
    return said


def full(task, _):
    return task.copies / task.gaps


def drawn(task, said):
    return np.random.default_rng(len(task.covers)).random(len(said)) * 2


LIES = {
    "nothing": made(lambda _, said: said * 0, lambda _, said: said * 0),
    "everything": made(full, lambda _, said: said * 0),
    "no prices": made(same, lambda _, said: said * 0),
    "no u": made(lambda _, said: said * 0, same),
    "a little too much": made(lambda task, said: np.minimum(said * (1 + 1e-6), full(task, said)), same),
    "a little too cheap": made(same, lambda _, said: said * (1 - 1e-6)),
    "negative u": made(lambda _, said: -said - 1, same),
    "u by far too large": made(lambda _, said: said + 1e12, same),
    "u hardly above nothing": made(lambda _, said: said * 1e-300, lambda _, said: said * 1e-300),
    "huge prices": made(same, lambda _, said: said * 1e18 + 1e18),
    "endless prices": made(same, lambda _, said: said + np.inf),
    "anything": made(drawn, drawn),
}
TABLES = [(1, 1.1, 1), (3, 1.1, 1), (5, 2.1, 2)]


def chain(n):
    """Rows of which each is near two others, but at the ends."""
    return np.arange(float(n))[:, None]


@pytest.fixture(scope="module")
def counts():
    return [capped_by_definition(chain(17), *table) for table in TABLES]


@pytest.mark.parametrize("lie", LIES)
def test_bracket_holds_the_count_whatever_the_solver_says(lie, counts, monkeypatch):
    monkeypatch.setattr(Program, "solve", LIES[lie])
    for (k, radius, reach), wanted in zip(TABLES, counts, strict=True):
        low, high = ours(chain(17), k, radius, reach)
        assert low <= wanted <= high <= low + Fraction(1, 64)


def lying_highs(rewrite):
    """A HiGHS whose solutions are rewritten."""
    real = program._new_solver

    class Lying:
        def __init__(self, gains, most):
            self._solver = real(gains, most)

        def __getattr__(self, name):
            return getattr(self._solver, name)

        def getSolution(self):  # noqa: N802 -- as HiGHS calls it
            said = self._solver.getSolution()
            return SimpleNamespace(col_value=rewrite(said.col_value), row_dual=rewrite(said.row_dual))

    return Lying


REWRITTEN = {
    "nan": lambda values: [float("nan")] * len(values),
    "inf": lambda values: [float("inf")] * len(values),
    "-inf": lambda values: [float("-inf")] * len(values),
    "fewer": lambda values: list(values)[:-1],
    "more": lambda values: [*values, 1.0],
    "none": lambda _: [],
    "negative": lambda values: [-value for value in values],
    "huge": lambda _: [1e300],
}


@pytest.mark.parametrize("rewritten", REWRITTEN)
def test_bracket_holds_the_count_whatever_highs_says(rewritten, counts, monkeypatch):
    monkeypatch.setattr(program, "_new_solver", lying_highs(REWRITTEN[rewritten]))
    for (k, radius, reach), wanted in zip(TABLES, counts, strict=True):
        low, high = ours(chain(17), k, radius, reach)
        assert low <= wanted <= high <= low + Fraction(1, 64)


@pytest.mark.parametrize("n", [63, 127])
def test_prices_as_high_as_are_believed_do_not_overflow(n, monkeypatch):
    """Prices that say four times as much as there are rows, on four covers, so that most outliers are left."""
    honest = ours(chain(n), 3, 1.1, 1)

    def solve(self, **_):
        self.prices = np.zeros(len(self.covers))
        self.prices[:4] = n / self.reach * (1 - 1e-6)
        return np.zeros(self.gaps.size)

    monkeypatch.setattr(Program, "solve", solve)
    low, high = ours(chain(n), 3, 1.1, 1)
    assert low <= honest[1]
    assert honest[0] <= high <= low + Fraction(1, 64)


@pytest.mark.parametrize("lie", ["nothing", "everything", None])
@pytest.mark.parametrize("most", [3, 10**5])
@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(6, 80))])
def test_capped_sum_is_that_of_the_definition(seed, most, lie, monkeypatch):
    if lie:
        monkeypatch.setattr(Program, "solve", LIES[lie])
    rng = np.random.default_rng(seed)
    n, reach, fineness = int(rng.integers(2, 14)), int(rng.integers(1, 3)), int(rng.choice([64, 2**30]))
    gaps, covers = rng.integers(max(1, most - 5), most + 1, n), some_covers(rng, n, int(rng.integers(1, 9)), 3)
    copies = rng.integers(1, 3, n) if seed % 2 else np.ones(n, np.int64)
    low, high = capped_sum(gaps, copies, parts_of(covers), reach, fineness)
    wanted = capped_program(*apart(gaps, copies, covers), reach)
    assert low <= wanted <= high <= low + Fraction(1, fineness)


def test_honest_solutions_need_no_fractions(monkeypatch):
    def never(*_):
        raise AssertionError

    monkeypatch.setattr(solving, "maximum", never)
    rng = np.random.default_rng(3)
    for d in (1, 2, 3):
        low, high = ours(rng.random((300, d)), 6, 0.05 * d, 1)
        assert high - low <= Fraction(1, 64)


@pytest.mark.parametrize("steps", [0, 1])
def test_bracket_is_narrow_if_the_simplex_method_may_take_no_steps(steps, counts, monkeypatch):
    """The interior point, or fractions, take over."""
    monkeypatch.setattr(program, "_STEPS", steps)
    monkeypatch.setattr(program, "_MOST_STEPS", 0)
    for (k, radius, reach), wanted in zip(TABLES, counts, strict=True):
        low, high = ours(chain(17), k, radius, reach)
        assert low <= wanted <= high <= low + Fraction(1, 64)


def test_solver_prints_nothing(capfd):
    """By default HiGHS tells the size of a program and its objective, which are private, on standard output."""
    ours(chain(40), 3, 1.1, 1)
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_memory_does_not_grow_with_the_programs_that_were_solved():
    """Solvers are freed with their programs."""
    statm = Path("/proc/self/statm")
    if not statm.exists():
        pytest.skip("only Linux tells how much memory a process uses")

    def megabytes_after(programs):
        for _ in range(programs):
            ours(chain(300), 3, 1.1, 1)
        gc.collect()
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

    before = megabytes_after(200)
    assert megabytes_after(2_000) - before < 10


@pytest.mark.parametrize("side", [ours, ours_above])
def test_a_solver_that_drifts_needs_no_fractions(side, monkeypatch):
    """Covers that it has may hold a little more than D: others are still added, and the certificate pays."""

    def never(*_):
        raise AssertionError

    def drifted(task, said):
        return np.minimum(said * (1 + 1e-7), full(task, said))

    monkeypatch.setattr(Program, "solve", made(drifted, same))
    monkeypatch.setattr(solving, "maximum", never)
    rng = np.random.default_rng(3)
    for n, k in ((300, 6), (600, 4)):
        low, high = side(rng.random((n, 3)), k, 0.15, 1)
        assert high - low <= Fraction(1, 64)


def test_the_second_way_is_another_one(counts, monkeypatch):
    """An interior point where the simplex method came to an end, and many more steps where it did not."""
    asked = set()

    def worthless(self):
        asked.add((self.by_interior, self._is_patient))
        said = REAL(self)
        self.prices = np.zeros(len(self.covers))
        return said * 0

    monkeypatch.setattr(Program, "solve", worthless)
    for first, second in (((False, False), (True, False)), ((False, False), (False, True))):
        asked.clear()
        for (k, radius, reach), wanted in zip(TABLES, counts, strict=True):
            low, high = ours(chain(17), k, radius, reach)
            assert low <= wanted <= high
        assert {first, second} <= asked
        monkeypatch.setattr(program, "_optimal", object)  # no solution is optimal
