"""The largest sum of rows that no cover holds too many of: a linear program, solved in floats.

theory              here
v_i, c_i            u_i = v_i / c_i; maximize the sum of c_i u_i over 0 <= u_i <= 1 / c_i
sum v_i/c_i <= D    the sum of u_i over the rows of each cover is at most D
dual                prices of covers

Nothing that comes from here is trusted: `certificate` turns any u and any prices into bounds. Rows that lie in the
same covers and have the same gap share a variable. The simplex method goes on from where the last solution ended
when covers are added; a program that takes it many steps is solved by an interior point from then on.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_TOLERANCE = 1e-9
_SEED = 0
_STEPS = 3_000  # of the simplex method for a program; and half of one more for each variable
_MOST_STEPS = 20  # where it is the second way: so many for each variable and each cover


@dataclass(slots=True)
class Program:
    """Some variables, and the covers that were added so far."""

    gaps: Floats  # c of each variable
    copies: Floats  # how many rows share it
    reach: int
    covers: list[NDArray[np.int32]] = field(default_factory=list)  # variables of each
    prices: Floats = field(default_factory=lambda: np.empty(0))
    by_interior: bool = False
    _solver: Any = None
    _is_patient: bool = False

    def solve_otherwise(self, *, by_interior: bool) -> None:
        """From the beginning by an interior point, or by the simplex method with far more steps."""
        self.by_interior, self._is_patient = by_interior, not by_interior

    def add(self, covers: list[NDArray[np.int32]]) -> None:
        """Add covers, each with the variables in it."""
        self.covers += covers
        if self._solver is None:
            self._solver = _new_solver(self.gaps, self.copies / self.gaps)
        lengths = np.array([one.size for one in covers])
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int32)
        index = np.concatenate(covers).astype(np.int32)
        count = len(covers)
        self._solver.addRows(
            count, np.full(count, -np.inf), np.full(count, float(self.reach)), index.size, starts, index,
            np.ones(index.size),
        )  # fmt: skip

    def solve(self) -> Floats:
        """u of each variable, about, and on the way prices of the covers."""
        solver, n = self._solver, self.gaps.size
        if not self.by_interior:
            steps = _MOST_STEPS * (len(self.covers) + n) if self._is_patient else n // 2
            solver.setOptionValue("simplex_iteration_limit", _STEPS + steps)
            solver.run()
            self.by_interior = solver.getModelStatus() != _optimal()
        if self.by_interior:
            solver.setOptionValue("solver", "ipm")
            solver.setOptionValue("presolve", "on")
            solver.clearSolver()
            solver.run()
        solution = solver.getSolution()
        self.prices = _numbers(solution.row_dual, len(self.covers))
        return np.minimum(_numbers(solution.col_value, self.gaps.size), self.copies / self.gaps)

    def forget(self) -> None:
        """Free the memory of the solver."""
        if self._solver is not None:
            self._solver.clear()
            self._solver = None


def _numbers(values: Any, size: int) -> Floats:
    """What a solver gave, as numbers of 0 or more: zeros where it gave none."""
    found = np.abs(np.array(values, dtype=np.float64))
    return np.nan_to_num(found, nan=0, posinf=0) if found.size == size else np.zeros(size)


def _optimal() -> Any:
    import highspy  # where an answer is computed, and not before

    return highspy.HighsModelStatus.kOptimal


def _new_solver(gains: Floats, most: Floats) -> Any:
    """HiGHS, silent, on one thread."""
    import highspy

    solver: Any = highspy.Highs()
    for name, value in (
        ("output_flag", False),
        ("threads", 1),
        ("parallel", "off"),
        ("random_seed", _SEED),
        ("solver", "simplex"),
        ("presolve", "off"),
        ("run_crossover", "off"),
        ("ipm_optimality_tolerance", _TOLERANCE),
        ("primal_feasibility_tolerance", _TOLERANCE),
        ("dual_feasibility_tolerance", _TOLERANCE),
    ):
        solver.setOptionValue(name, value)
    n = gains.size
    solver.addVars(n, np.zeros(n), most)
    solver.changeColsCost(n, np.arange(n, dtype=np.int32), gains)
    solver.changeObjectiveSense(highspy.ObjSense.kMaximize)
    return solver
