"""Which of these points would be outliers: the h with the fewest rows near them (`detection.proof.md`)."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eremite.engines import count_neighbors, count_rows_near
from eremite.errors import InputError
from eremite.ledger import Cost
from eremite.mechanisms.sampling import draw_index
from eremite.mechanisms.selection import Scores, below, zcdp_of_draw
from eremite.outliers import OutlierDefinition
from eremite.privacy import Privacy, checked_epsilon, times_as_likely
from eremite.queries.count import per_row
from eremite.queries.fit import require_fit, require_named
from eremite.table import Table

#: Weights of all draws among the rows together: some minutes.
MOST_WEIGHTS = 10**6


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectionPlan:
    """Candidates that can be ranked: public points, or the rows themselves. Made from public facts only."""

    definition: OutlierDefinition
    columns: tuple[str, ...]
    candidates: NDArray[np.float64] | None  # scaled; None: the rows
    h: int
    privacy: Privacy  # of a person, with all rows this person has
    rows_per_person: int
    each: Fraction  # epsilon of one draw, of a row

    @property
    def cost(self) -> Cost:
        """As the ledger counts it: h draws (claim R2 of `subspaces.proof.md`)."""
        rho = self.h * zcdp_of_draw(self.each, self.selection) * self.rows_per_person**2
        return Cost(epsilon=self.privacy.epsilon, rho=rho)

    @property
    def selection(self) -> str:
        """How a draw is made."""
        return "exponential" if self.candidates is None else "permute-and-flip"

    @property
    def candidates_in_words(self) -> str:
        """What was ranked, and, for the rows themselves, how little a draw among them can tell."""
        if self.candidates is not None:
            return f"{len(self.candidates)} public points"
        times = times_as_likely(self.each / 2)
        return (
            f"the rows of the table, by number: in each draw the loneliest is at most {times} times as likely "
            "as any other, so this is close to a random pick unless that factor is large"
        )


def plan_detection(
    table: Table,
    definition: OutlierDefinition,
    candidates: Any,
    h: int,
    columns: Iterable[str] | None,
    epsilon: object,
) -> DetectionPlan:
    """Check a request. Of the table only the public facts are looked at; candidates are scaled as its rows were.

    Frames of candidates are matched by name, and arrays and lists of rows by place.
    """
    privacy = Privacy(checked_epsilon(epsilon))
    names = table.choose(columns)
    require_fit(definition, table.n_rows)
    points = None if candidates is None else table.scale(candidates, names)
    count = table.n_rows if points is None else len(points)
    require_named(h, count)
    if points is None:
        _require_few_weights(h, definition.min_neighbors)
    return DetectionPlan(
        definition=definition,
        columns=names,
        candidates=points,
        h=h,
        privacy=privacy,
        rows_per_person=table.rows_per_person,
        each=per_row(privacy, table.rows_per_person).epsilon / h,
    )


def _require_few_weights(h: int, min_neighbors: int) -> None:
    """Every draw among the rows weighs each degree from 0 to k."""
    if h * (min_neighbors + 1) > MOST_WEIGHTS:
        raise InputError(
            f"Naming {h:,} of the rows with min_neighbors {min_neighbors:,} takes more than the {MOST_WEIGHTS:,} "
            "weights that draws may take together; name fewer, or choose a smaller min_neighbors."
        )


def compute_detection(table: Table, plan: DetectionPlan) -> tuple[int, ...]:
    """The places of the h candidates, from 0, in the order drawn. Private with `plan.privacy`, once charged."""
    points = table.points(plan.columns)
    if plan.candidates is None:
        return _among_rows(count_neighbors(points, plan.definition.radius, plan.definition.min_neighbors), plan)
    near = count_rows_near(plan.candidates, points, plan.definition.radius, _cap(plan, len(plan.candidates)))
    exact = [Fraction(-int(rows)) for rows in near]
    scores = Scores([(score, score) for score in exact], exact.__getitem__, plan.each / 2)
    return tuple(scores.permute_and_flip() for _ in range(plan.h))


def _cap(plan: DetectionPlan, count: int) -> int:
    """Beyond k neighbors by this much, a candidate has no chance worth counting further for. Public."""
    return plan.definition.min_neighbors + ceil(2 * log(10**6 * count) / float(plan.each))


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
