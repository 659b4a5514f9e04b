"""Would this point be an outlier: one at a time, as many "no" as it takes, c times "yes".

The sparse vector technique after Lyu, Su and Li (2017), Algorithm 1, with integer noise: claim K3 of
`detection.proof.md`.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from eremite.errors import InputError
from eremite.ledger import Cost, ProcessGuard
from eremite.mechanisms import GlobalLaplace
from eremite.outliers.near import rows_near
from eremite.privacy import Privacy, checked_epsilon
from eremite.queries.count import per_row
from eremite.queries.fields import FROM_JSON, Columns, Definition, Epsilon, MostYes
from eremite.queries.fit import require_fit
from eremite.queries.plan import WithDefinition
from eremite.release import Parameters
from eremite.table import DeclaredTable
from eremite.tiles import AnyTable

_MOST_YES = 1_000_000
_LEAST = Fraction(1)  # the sensitivity of a count of rows near a point


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenQuery:
    """Which of the points that will come are outliers: one at a time, until so many answers were yes."""

    name: ClassVar[str] = "open_screen"
    __pydantic_config__ = FROM_JSON

    definition: Definition
    most_yes: MostYes
    columns: Columns = None
    epsilon: Epsilon

    def plan(self, table: DeclaredTable) -> "ScreeningPlan":
        """Check the question and split its budget, from public facts only."""
        privacy = Privacy(checked_epsilon(self.epsilon))
        columns = table.choose(self.columns)
        require_fit(self.definition, table)
        if type(self.most_yes) is not int or not 1 <= self.most_yes <= _MOST_YES:
            raise InputError(f"most_yes must be a whole number from 1 to {_MOST_YES}: how often the answer may be yes.")
        row = per_row(privacy, table.rows_per_person).epsilon
        threshold = row * Fraction(1 / (1 + (2 * self.most_yes) ** (2 / 3)))
        return ScreeningPlan(
            query=replace(self, columns=columns, epsilon=privacy.epsilon),
            privacy=privacy,
            threshold=threshold,
            answers=row - threshold,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreeningPlan(WithDefinition):
    """A screening that can be opened."""

    query: ScreenQuery
    privacy: Privacy
    threshold: Fraction  # epsilon_1, for one row
    answers: Fraction  # epsilon_2, for one row
    mechanism: ClassVar[str] = "sparse-vector"

    @property
    def most_yes(self) -> int:
        """How many answers may be yes."""
        return self.query.most_yes

    @property
    def cost(self) -> Cost:
        """The cost as the ledger counts it."""
        return Cost.pure(self.privacy.epsilon)

    @property
    def parameters(self) -> Parameters:
        """How many answers may be yes."""
        return (("most_yes", self.most_yes),)


class Screening:
    """Answers until `most_yes` of them were yes. The noise on the threshold is drawn once, when it is opened.

    Not for two threads at once, nor for a copy of the process.
    """

    def __init__(self, table: AnyTable, plan: ScreeningPlan) -> None:
        self._plan = plan
        self._part = table.part(plan.columns, plan.definition.within)
        self._bar = 1 - plan.definition.min_neighbors + GlobalLaplace(plan.threshold).draw(0, _LEAST)
        self._noise = GlobalLaplace(plan.answers / (2 * plan.most_yes))
        self._guard = ProcessGuard()
        self.left = plan.most_yes

    def answer(self, candidates: NDArray[np.float64], strata: NDArray[np.int64]) -> tuple[bool, ...]:
        """For each located candidate in turn, whether it would be an outlier; ends early with the last yes there is."""
        self._guard.require()
        answers: list[bool] = []
        for near in rows_near(candidates, strata, self._part, self._plan.definition.radius, self._cap()):
            if self.left <= 0:
                break
            answers.append(self._noise.draw(-int(near), _LEAST) >= self._bar)
            self.left -= answers[-1]
        return tuple(answers)

    def _cap(self) -> int:
        """Where counting stops: beyond it, only noise of probability below e^-40 could change an answer. Public."""
        return self._plan.definition.min_neighbors + ceil(80 * self._plan.most_yes / float(self._plan.answers))
