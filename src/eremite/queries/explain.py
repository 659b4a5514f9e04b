"""In which columns does this point stand alone: the h sets with the fewest rows near it (`explain.proof.md`).

theory     here
c          a point of `ExplainPlan.points`
n_S        rows within the radius of the point, in the columns S
           a set scores -max(n_S, k - 1) - penalty (|S| - 1)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, log
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from eremite.errors import InputError
from eremite.ledger import Cost
from eremite.mechanisms.selection import Scores, zcdp_of_draw
from eremite.outliers import Subspace, Subspaces
from eremite.outliers.near import rows_near_in_sets
from eremite.privacy import Privacy, checked_epsilon
from eremite.queries.count import per_row
from eremite.queries.fields import FROM_JSON, Columns, Definition, Epsilon, LargestSize, Point, Top
from eremite.queries.fit import require_fit
from eremite.queries.plan import Progress, WithDefinition
from eremite.release import Parameters
from eremite.table import DeclaredTable
from eremite.tiles import AnyTable

#: Every draw, of every point, looks at every set.
MOST_LOOKS = 100_000
#: With as few rows near, a set of one more column has a weight that is smaller by this and by the number of columns:
#: all sets that contain a given one have a tenth of its weight together (claim X3).
LESS_LIKELY = 10


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExplainQuery:
    """In which sets of columns does a public point, or each of several, have the fewest rows near it."""

    name: ClassVar[str] = "explain_outlier"
    __pydantic_config__ = FROM_JSON

    definition: Definition
    point: Point
    h: Top
    max_size: LargestSize
    columns: Columns = None
    epsilon: Epsilon

    def plan(self, table: DeclaredTable) -> "ExplainPlan":
        """Check the question and split its budget, from public facts only; points are scaled as the rows were."""
        privacy = Privacy(checked_epsilon(self.epsilon))
        columns = table.choose(self.columns)
        require_fit(self.definition, table)
        family = Subspaces.up_to(columns, self.max_size)
        _require_named(self.h, len(columns))
        rows, alone = _as_rows(self.point)
        points, strata = table.locate(rows, columns, self.definition.within)
        _require_few_looks(len(points), self.h, family)
        each = per_row(privacy, table.rows_per_person).epsilon / (self.h * len(points))
        whole = np.column_stack([points, strata]) if self.definition.within else points
        settled = tuple(whole[0].tolist()) if alone else whole
        return ExplainPlan(
            query=replace(self, point=settled, columns=columns, epsilon=privacy.epsilon),
            points=points,
            strata=strata,
            alone=alone,
            family=family,
            privacy=privacy,
            rows_per_person=table.rows_per_person,
            each=each,
            rate=each / 2 if table.neighbors == "replace" else each,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExplainPlan(WithDefinition):
    """Points that can be explained, and the sets of columns that may explain them."""

    query: ExplainQuery
    points: NDArray[np.float64]  # scaled, one in a row
    strata: NDArray[np.int64]  # of the points
    alone: bool  # whether one point was asked about, and not a table of points
    family: Subspaces
    privacy: Privacy
    rows_per_person: int
    each: Fraction  # epsilon of one draw, for one row
    rate: Fraction  # weight exp(rate u): each / 2; where a row is added or removed, scores move one way (E5), and each
    mechanism: ClassVar[str] = "permute-and-flip"

    @property
    def h(self) -> int:
        """How many sets are named for each point."""
        return self.query.h

    @property
    def cost(self) -> Cost:
        """The cost as the ledger counts it: h draws for each point (claim R2 of `subspaces.proof.md`)."""
        draws = self.h * len(self.points)
        rho = draws * zcdp_of_draw(self.each, self.mechanism) * self.rows_per_person**2
        return Cost(epsilon=self.privacy.epsilon, rho=rho)

    @property
    def parameters(self) -> Parameters:
        """How many sets are named, among which, for how many points, and what a further column counts as."""
        told = ("h", self.h), ("max_size", self.query.max_size), ("points", len(self.points))
        return *told, ("penalty", self.penalty)

    @property
    def penalty(self) -> int:
        """The number of rows near that one more column counts as: k and about as many as the noise hides. Public."""
        hidden = ceil(log(LESS_LIKELY * len(self.columns)) / float(self.rate))
        return self.definition.min_neighbors + hidden

    def compute(self, table: AnyTable, progress: Progress | None = None) -> tuple[Any, ...]:
        """The h sets for each point, in the order drawn; of a single point, its sets alone.

        Differentially private with `privacy`, once that has been charged.
        """
        family, place = list(self.family), {name: at for at, name in enumerate(self.columns)}
        numbers = [[place[name] for name in names] for names in family]
        part = table.part_by_cell(self.columns, self.definition.within)
        near = rows_near_in_sets(self.points, self.strata, part, numbers, self.definition.radius, progress)
        named = tuple(self._draw(family, counts) for counts in near.tolist())
        return named[0] if self.alone else named

    def _draw(self, family: Sequence[Subspace], near: Sequence[int]) -> tuple[Subspace, ...]:
        """Draw h sets, none of which contains one that was drawn before (claim X2)."""
        left = [(names, self.score(names, count)) for names, count in zip(family, near, strict=True)]
        drawn: list[Subspace] = []
        while len(drawn) < self.h:
            scores = [score for _, score in left]
            chosen = Scores.known(scores, self.rate).permute_and_flip()
            drawn.append(left[chosen][0])
            left = [pair for pair in left if not set(drawn[-1]) <= set(pair[0])]
        return tuple(drawn)

    def score(self, names: Subspace, near: int) -> Fraction:
        """Minus the rows near, of which the first k - 1 do not count, and minus the penalty of a large set."""
        return Fraction(-max(near, self.definition.min_neighbors - 1) - self.penalty * (len(names) - 1))


def _as_rows(point: Any) -> tuple[Any, bool]:
    """The points as rows or as a frame, and whether it is a single one: a list of numbers, or numbers by name."""
    if isinstance(point, Mapping) or (hasattr(point, "items") and getattr(point, "ndim", None) == 1):
        named = {str(name): value for name, value in point.items()}  # a mapping, or a row of a pandas frame
        alone = all(map(np.isscalar, named.values()))
        return ({name: [value] for name, value in named.items()} if alone else point), alone
    is_list = isinstance(point, list | tuple) or (isinstance(point, np.ndarray) and point.ndim == 1)
    alone = is_list and all(map(np.isscalar, point))
    return ([list(point)] if alone else point), alone


def _require_named(h: object, columns: int) -> None:
    """Of d columns, d sets can be named whatever is drawn, and no more if those are the single columns (claim X2)."""
    if type(h) is not int or not 1 <= h <= columns:
        raise InputError(f"How many to name (h) must be a whole number from 1 to {columns}, the number of columns.")


def _require_few_looks(points: int, h: int, family: Subspaces) -> None:
    if points == 0:
        raise InputError("There is no point to explain; give at least one.")
    if family.exceeds(MOST_LOOKS) or points * h * family.count > MOST_LOOKS:
        raise InputError(
            f"Naming {h:,} of {family.count_in_words} sets of columns for {points:,} point{'s' * (points != 1)} takes "
            f"more than the {MOST_LOOKS:,} looks at a set that an explanation may take; choose fewer points, fewer "
            "columns or a smaller max_size, or name fewer."
        )
