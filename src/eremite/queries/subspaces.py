"""In which columns do outliers gather: the h subspaces with the most (`subspaces.proof.md`).

paper        here
F_c          family
u_subspace   utility "paper"
Algorithm 3  h draws without replacement, the factor 2 in place
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, log
from typing import ClassVar, get_args

import numpy as np
from flint import arb

from eremite.engines import FindNeighbors, workers
from eremite.errors import InputError
from eremite.intervals import as_arb, at_most
from eremite.ledger import Cost
from eremite.mechanisms import SmoothLaplace
from eremite.mechanisms.selection import Scores, zcdp_of_draw
from eremite.outliers import OutlierDefinition, Subspace, Subspaces, count_outliers_in_each, in_each
from eremite.privacy import Privacy, checked_delta, checked_epsilon
from eremite.queries.count import clamped, per_row
from eremite.queries.fields import (
    FROM_JSON,
    Definition,
    Delta,
    Epsilon,
    ListedSubspaces,
    MaxSize,
    Selection,
    SelectionName,
    Size,
    Top,
    Utility,
    UtilityName,
)
from eremite.queries.fit import relation_of, require_choice, require_fit, require_named
from eremite.queries.plan import Progress, WithDefinition
from eremite.release import Parameters
from eremite.sensitivity import (
    Comparison,
    Glimpse,
    dampened,
    few_changes,
    glimpse,
    profile_function,
    require_few_changes,
)
from eremite.sensitivity.dampening import Profile
from eremite.table import DeclaredTable
from eremite.tiles import AnyPart, AnyTable

#: The share of epsilon that the private center costs.
CENTER_SHARE = Fraction(1, 5)
#: Where no row can move a count by more than this, the paper's score is as sharp as any.
LITTLE_MOVED = 11
#: So many subspaces are compared with each other, and so many leads are computed, h for each of them.
MOST_COMPARED = 10_000
MOST_LEADS = 100_000
#: Two counts that are compared walk at most so many steps by their profiles, then by their caps. Public.
MOST_STEPS = 500
#: Which steps of a profile a glimpse looks at where no center needs a bound. Any decay serves.
_GLANCE = SmoothLaplace(Fraction(1, 2)).decay
MOST_SUBSPACES = 10_000_000
#: Each draw looks at every candidate.
MOST_LOOKS = 10**8


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyFields:
    """What questions about sets of columns have in common. Give one of size, max_size and subspaces."""

    __pydantic_config__ = FROM_JSON

    definition: Definition
    h: Top
    size: Size = None
    max_size: MaxSize = None
    subspaces: ListedSubspaces = None
    delta: Delta = 0

    def family(self, columns: Sequence[str]) -> Subspaces:
        """The public family of sets that is searched."""
        return family_among(columns, self.size, self.max_size, self.subspaces)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFields(FamilyFields):
    """What a search has beside its family and its epsilon."""

    utility: UtilityName = "auto"
    selection: SelectionName = "permute-and-flip"


@dataclass(frozen=True, slots=True, kw_only=True)
class SubspacesQuery(SearchFields):
    """In which sets of columns are the most outliers. Give one of size, max_size and subspaces."""

    name: ClassVar[str] = "top_subspaces"

    epsilon: Epsilon

    def plan(self, table: DeclaredTable) -> "SubspacesPlan":
        """Check the question and split its budget, from public facts only."""
        family = self.family(table.columns)
        privacy = Privacy(checked_epsilon(self.epsilon), checked_delta(self.delta))
        require_fit(self.definition, table)
        require_choice("utility", self.utility, get_args(Utility))
        require_choice("selection", self.selection, get_args(Selection))
        require_named(self.h, family.count)
        _require_few_looks(self.h, family.count)
        utility = self._utility(table, family)
        row = per_row(privacy, table.rows_per_person)
        center = None
        if utility == "centered":
            center = _center_noise(self.utility, row.epsilon, family, self.definition, table)
            utility = utility if center else "paper"
        left = row.epsilon - (center.epsilon if center else 0)
        each, concentrated = left / self.h, _concentrated(left, row.delta, self.h)
        more = concentrated > each
        return SubspacesPlan(
            query=replace(self, subspaces=family.chosen, epsilon=privacy.epsilon, delta=privacy.delta),
            family=family,
            privacy=privacy if more else Privacy(privacy.epsilon),
            utility=utility,
            selection="exponential" if more else self.selection,
            rows_per_person=table.rows_per_person,
            center=center,
            each=max(each, concentrated),
        )

    def _utility(self, table: DeclaredTable, family: Subspaces) -> Utility:
        most = relation_of(table).most_moved(family.largest, self.definition.min_neighbors)  # refuses too many columns
        if self.utility == "compared":
            _require_few_compared(self.h, family.count)
        if self.utility != "auto":
            return self.utility
        if most <= LITTLE_MOVED:
            return "paper"
        return "compared" if few_compared(self.h, family.count) else "centered"


@dataclass(frozen=True, slots=True, kw_only=True)
class SubspacesPlan(WithDefinition):
    """A search that can be made: what it spends, and how it draws."""

    query: SubspacesQuery
    family: Subspaces
    privacy: Privacy
    utility: Utility
    selection: Selection
    rows_per_person: int
    center: SmoothLaplace | None  # noise for the center
    each: Fraction  # epsilon of one draw, for one row

    @property
    def h(self) -> int:
        """How many subspaces are named."""
        return self.query.h

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that subspaces are made of."""
        return self.family.columns

    @property
    def cost(self) -> Cost:
        """The cost as the ledger counts it: the center and h draws (claim R2)."""
        center = self.center.epsilon**2 / 2 if self.center else 0
        rho = center + self.h * zcdp_of_draw(self.each, self.selection)
        return Cost(epsilon=self.privacy.epsilon, delta=self.privacy.delta, rho=rho * self.rows_per_person**2)

    @property
    def mechanism(self) -> str:
        """How a subspace is drawn."""
        return self.selection

    @property
    def parameters(self) -> Parameters:
        """How many are named, among which, and how they are scored."""
        query = self.query
        listed = None if self.family.chosen is None else len(self.family.chosen)
        family = (("size", query.size), ("max_size", query.max_size), ("listed", listed))
        return ("h", self.h), *(one for one in family if one[1] is not None), ("utility", self.utility)

    @property
    def limit(self) -> int:
        """How many steps below the center a close look ends: what lies further has next to no chance. Public."""
        steps = ceil(2 * log(10**6 * self.family.count) / float(self.each))
        return min(steps, MOST_STEPS) if self.utility == "compared" else steps

    def compute(self, table: AnyTable, progress: Progress | None = None) -> tuple[Subspace, ...]:
        """The h subspaces, in the order drawn. Differentially private with `privacy`, once that has been charged."""
        family = list(self.family)
        scores = _SCORES[self.utility](table, self, progress or (lambda _: None))
        draw = scores.exponential if self.selection == "exponential" else scores.permute_and_flip
        return tuple(family[draw()] for _ in range(self.h))


def _center_noise(
    asked: UtilityName, epsilon: Fraction, family: Subspaces, definition: OutlierDefinition, table: DeclaredTable
) -> SmoothLaplace | None:
    """The noise of a center; None if the searches for its bounds, side by side, take too much and another will do."""
    noise, together = SmoothLaplace(epsilon * CENTER_SHARE), min(family.count, workers.available())
    search = relation_of(table), family.largest, definition.min_neighbors, noise.decay
    if asked == "centered":
        require_few_changes(*search, "choose the utility paper or smaller sets", side_by_side=together)
    return noise if few_changes(*search, side_by_side=together) else None


def family_among(
    columns: Sequence[str], size: int | None, max_size: int | None, subspaces: Sequence[Sequence[str]] | None
) -> Subspaces:
    """The candidates among the columns, named in one of three ways."""
    if sum(given is not None for given in (size, max_size, subspaces)) != 1:
        raise InputError("Give one of size, max_size and subspaces: which sets of columns are the candidates.")
    if size is not None:
        family = Subspaces.of_size(columns, size)
    elif max_size is not None:
        family = Subspaces.up_to(columns, max_size)
    elif isinstance(subspaces, list | tuple):
        family = Subspaces.listed(columns, subspaces)
    else:
        raise InputError("subspaces must be a list of lists of column names.")
    if family.exceeds(MOST_SUBSPACES):
        raise InputError(
            f"There are {family.count_in_words} such subspaces, more than the {MOST_SUBSPACES:,} that are searched; "
            "choose a smaller size or list the subspaces of interest."
        )
    return family


def _concentrated(epsilon: Fraction, delta: Fraction, h: int) -> Fraction:
    """The epsilon0 for which h exponential draws are (epsilon, delta)-DP by way of zCDP (claim E4), rounded down.

    rho + 2 sqrt(rho ln(1 / delta)) = epsilon for sqrt(rho) = sqrt(ln(1 / delta) + epsilon) - sqrt(ln(1 / delta)).
    """
    if delta == 0:
        return Fraction(0)

    def epsilon_each() -> arb:
        log_term = -as_arb(delta).log()
        return ((log_term + as_arb(epsilon)).sqrt() - log_term.sqrt()) * (as_arb(Fraction(8, h))).sqrt()

    return at_most(epsilon_each, 64)


def _paper_scores(table: AnyTable, plan: SubspacesPlan, progress: Progress) -> Scores:
    """q_S over its global sensitivity; as exact as the counts."""
    exact = [Fraction(one.outliers, one.most) for one in _counts(table, plan, progress)]
    return Scores.known(exact, plan.each / 2)


def _dampened_scores(table: AnyTable, plan: SubspacesPlan, progress: Progress) -> Scores:
    """How many replaced rows away the count is from the center, or from 0."""
    if plan.center is None:
        seen, center = _counts(table, plan, progress), 0
    else:
        seen, center = _counts_and_center(table, plan, plan.center, progress)
    gaps, family = [one.outliers - center for one in seen], list(plan.family)

    def look(i: int) -> tuple[Fraction, Fraction]:
        steps = ceil(abs(dampened(gaps[i], seen[i].lower, plan.limit, seen[i].most)))
        useful = seen[i].most if gaps[i] > 0 else min(seen[i].most, plan.limit)
        profile = _profile_of(table, family[i], plan, min(steps, useful) + 1)
        score = dampened(gaps[i], profile, plan.limit, seen[i].most)
        return score, score

    bounds = [_bounds(one, gap, plan.limit) for one, gap in zip(seen, gaps, strict=True)]
    return Scores(bounds, look, plan.each / 2)


def _compared_scores(table: AnyTable, plan: SubspacesPlan, progress: Progress) -> Scores:
    """How many replaced rows away each count is from leaving the h largest, or from entering them (claim C5)."""
    seen, _ = _glimpses(table, plan, _GLANCE, progress)
    family = list(plan.family)

    def profile_of(i: int, steps: int) -> Profile:
        return _profile_of(table, family[i], plan, steps)

    comparison = Comparison(seen, plan.h, plan.limit, profile_of)

    def look(i: int) -> tuple[Fraction, Fraction]:
        score = comparison.exact(i)
        return score, score

    return Scores(comparison.bounds(), look, plan.each / 2)


def _profile_of(table: AnyTable, subspace: Subspace, plan: SubspacesPlan, steps: int) -> Profile:
    """The profile of one candidate, for so many steps."""
    part = table.part(subspace, plan.definition.within)
    return profile_function(part.points, plan.definition, steps, relation=relation_of(table), starts=part.starts)


def _counts(table: AnyTable, plan: SubspacesPlan, progress: Progress) -> list[Glimpse]:
    k, unknown, seen, relation = plan.definition.min_neighbors, np.empty(0, dtype=np.int64), [], relation_of(table)
    for subspace, count in count_outliers_in_each(table, plan.definition, plan.family):
        seen.append(Glimpse(count, relation.cap(len(subspace), k), unknown, relation.neighbors))
        progress(len(seen))
    return seen


def _counts_and_center(
    table: AnyTable, plan: SubspacesPlan, noise: SmoothLaplace, progress: Progress
) -> tuple[list[Glimpse], int]:
    """The counts, and a private number near the middle between the h-th largest of them and the next (claim C1)."""
    seen, largest = _glimpses(table, plan, noise.decay, progress)
    falling = sorted((one.outliers for one in seen), reverse=True)
    middle = (falling[plan.h - 1] + falling[min(plan.h, len(falling) - 1)]) // 2
    return seen, clamped(noise.draw(middle, largest), table)


def _glimpses(
    table: AnyTable, plan: SubspacesPlan, decay: Fraction, progress: Progress
) -> tuple[list[Glimpse], Fraction]:
    """A glimpse of each candidate, and the largest of their smooth bounds."""
    largest = Fraction(0)  # of the smooth bounds seen so far

    def look(part: AnyPart, find: FindNeighbors) -> tuple[Glimpse, Fraction]:
        return glimpse(part.points, plan.definition, decay, largest, find, relation_of(table), part.starts)

    seen = []
    for _, (one, bound) in in_each(table, plan.family, plan.definition.within, look):
        seen.append(one)
        largest = max(largest, bound)
        progress(len(seen))
    return seen, largest


def _bounds(one: Glimpse, gap: int, limit: int) -> tuple[Fraction, Fraction]:
    values = [dampened(gap, profile, limit, one.most) for profile in (one.lower, one.upper)]
    return min(values), max(values)


_SCORES: dict[str, Callable[[AnyTable, SubspacesPlan, Progress], Scores]] = {
    "compared": _compared_scores,
    "centered": _dampened_scores,
    "dampened": _dampened_scores,
    "paper": _paper_scores,
}


def few_compared(h: int, candidates: int) -> bool:
    """Whether so few subspaces can be compared with each other. Public."""
    return candidates <= MOST_COMPARED and h * candidates <= MOST_LEADS


def _require_few_compared(h: int, candidates: int) -> None:
    if not few_compared(h, candidates):
        raise InputError(
            f"At most {MOST_COMPARED:,} subspaces are compared with each other, and at most {MOST_LEADS:,} divided by "
            "the number of those to name; name fewer, choose a smaller size, or choose the utility centered."
        )


def _require_few_looks(h: int, candidates: int) -> None:
    if h * candidates > MOST_LOOKS:
        raise InputError(
            f"Naming {h:,} of {candidates:,} subspaces takes more than the {MOST_LOOKS:,} looks that a search may "
            "take; name fewer, or choose a smaller size."
        )
