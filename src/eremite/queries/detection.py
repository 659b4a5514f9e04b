"""Which of these points would be outliers: the h with the fewest rows near them (`detection.proof.md`)."""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, log
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from eremite.errors import InputError
from eremite.ledger import Cost
from eremite.mechanisms.sampling import draw_index
from eremite.mechanisms.selection import Scores, below, zcdp_of_draw
from eremite.outliers import OutlierDefinition
from eremite.outliers.near import neighbors_of_rows, rows_near
from eremite.privacy import Privacy, checked_epsilon
from eremite.queries.count import per_row
from eremite.queries.fields import FROM_JSON, Candidates, Columns, Definition, Epsilon, Top
from eremite.queries.fit import require_fit, require_named
from eremite.queries.plan import Progress, WithDefinition
from eremite.release import Parameters
from eremite.table import DeclaredTable
from eremite.tiles import AnyTable, TiledPart, TiledTable

#: Weights of all draws among the rows together: some minutes.
MOST_WEIGHTS = 10**6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DetectQuery:
    """Which of the candidates have the fewest rows near them."""

    name: ClassVar[str] = "detect_outliers"
    __pydantic_config__ = FROM_JSON

    definition: Definition
    candidates: Candidates
    h: Top
    columns: Columns = None
    epsilon: Epsilon

    def plan(self, table: DeclaredTable) -> "DetectionPlan":
        """Check the question, from public facts only; candidates are scaled as the rows were.

        Frames of candidates are matched by name, arrays and lists of rows by position.
        """
        privacy = Privacy(checked_epsilon(self.epsilon))
        columns = table.choose(self.columns)
        require_fit(self.definition, table)
        points, strata = None, np.zeros(0, dtype=np.int64)
        if self.candidates is None:
            _require_public_rows(table)
            _require_few_weights(self.h, self.definition.min_neighbors)
        else:
            points, strata = table.locate(self.candidates, columns, self.definition.within)
        require_named(self.h, table.n_rows if points is None else len(points))
        return DetectionPlan(
            query=replace(
                self, candidates=_identity(points, strata, self.definition), columns=columns, epsilon=privacy.epsilon
            ),
            candidates=points,
            strata=strata,
            privacy=privacy,
            rows_per_person=table.rows_per_person,
            each=(each := per_row(privacy, table.rows_per_person).epsilon / self.h),
            rate=each / 2 if table.neighbors == "replace" else each,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DetectionPlan(WithDefinition):
    """Candidates that can be ranked: public points, or the rows themselves."""

    query: DetectQuery
    candidates: NDArray[np.float64] | None  # the points that are ranked, scaled; None for the rows themselves
    strata: NDArray[np.int64]  # of these points
    privacy: Privacy
    rows_per_person: int
    each: Fraction  # epsilon of one draw, for one row
    rate: Fraction  # weight exp(rate u): each / 2; where a row is added or removed, scores move one way (E5), and each

    @property
    def h(self) -> int:
        """How many candidates are named."""
        return self.query.h

    @property
    def cost(self) -> Cost:
        """The cost as the ledger counts it: h draws (claim R2 of `subspaces.proof.md`)."""
        rho = self.h * zcdp_of_draw(self.each, self.mechanism) * self.rows_per_person**2
        return Cost(epsilon=self.privacy.epsilon, rho=rho)

    @property
    def mechanism(self) -> str:
        """How a candidate is drawn."""
        return "exponential" if self.candidates is None else "permute-and-flip"

    @property
    def parameters(self) -> Parameters:
        """How many are named, among how many public points; None for the rows of the table."""
        return ("h", self.h), ("candidates", None if self.candidates is None else len(self.candidates))

    def compute(self, table: AnyTable, progress: Progress | None = None) -> tuple[int, ...]:
        """The positions of the h candidates, from 0, in the order drawn. Private with `privacy`, once charged."""
        part = table.part(self.columns, self.definition.within)
        if self.candidates is None:
            assert not isinstance(part, TiledPart)  # noqa: S101 -- for the type checker; the plan refuses it
            return _among_rows(neighbors_of_rows(part, self.definition, table.n_rows), self)
        cap = _cap(self, len(self.candidates))
        near = rows_near(self.candidates, self.strata, part, self.definition.radius, cap, progress)
        exact = [Fraction(-int(rows)) for rows in near]
        scores = Scores.known(exact, self.rate)
        return tuple(scores.permute_and_flip() for _ in range(self.h))


def _identity(
    points: NDArray[np.float64] | None, strata: NDArray[np.int64], definition: OutlierDefinition
) -> NDArray[np.float64] | None:
    """What tells candidates from others: where they lie, and in which strata if there are any."""
    return points if points is None or not definition.within else np.column_stack([points, strata])


def _require_public_rows(table: DeclaredTable) -> None:
    """The rows can be named only where it is public how many there are, and where they have numbers."""
    if table.neighbors != "replace":
        raise InputError(
            'With neighbors = "add-remove" it is private which rows there are, so they cannot be named; '
            "give candidates."
        )
    if isinstance(table, TiledTable):
        raise InputError(
            "Rows that are not in memory have no numbers, so they cannot be named; give candidates, or ask with "
            'engine = "memory".'
        )


def _require_few_weights(h: int, min_neighbors: int) -> None:
    """Every draw among the rows weighs each degree from 0 to k."""
    if h * (min_neighbors + 1) > MOST_WEIGHTS:
        raise InputError(
            f"Naming {h:,} of the rows with min_neighbors {min_neighbors:,} takes more than the {MOST_WEIGHTS:,} "
            "weights that draws may take together; name fewer, or choose a smaller min_neighbors."
        )


def _cap(plan: DetectionPlan, count: int) -> int:
    """Beyond k neighbors by this much, a candidate has no chance worth counting further for. Public."""
    return plan.definition.min_neighbors + ceil(log(10**6 * count) / float(plan.rate))


def _among_rows(degrees: NDArray[np.int64], plan: DetectionPlan) -> tuple[int, ...]:
    """Rows of the same degree, capped at k, have the same score: draw the degree, then the row."""
    k = plan.definition.min_neighbors
    order = np.argsort(degrees, kind="stable")  # one pass: k can be as large as the table
    first = np.searchsorted(degrees[order], np.arange(k + 2))
    rows = [list(order[first[degree] : first[degree + 1]]) for degree in range(k + 1)]
    exponents = [Fraction(-degree, k) * plan.each / 2 for degree in range(k + 1)]
    drawn = []
    for _ in range(plan.h):
        alike = rows[draw_index(exponents, [len(some) for some in rows])]
        drawn.append(int(alike.pop(below(len(alike)))))
    return tuple(drawn)
