"""In which columns do outliers gather: the h subspaces with the most (`subspaces.proof.md`).

paper        here
F_c          family
u_subspace   utility "paper"
Algorithm 3  h draws without replacement, the factor 2 in place
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log
from typing import Literal, get_args

import numpy as np
from flint import arb
from numpy.typing import NDArray

from eremite.engines import CountNeighbors
from eremite.errors import InputError
from eremite.intervals import as_arb, at_most
from eremite.ledger import Cost
from eremite.mechanisms import SmoothLaplace
from eremite.mechanisms.selection import Scores, zcdp_of_draw
from eremite.outliers import OutlierDefinition, Subspace, Subspaces, count_outliers_in_each, in_each
from eremite.privacy import Privacy, checked_delta, checked_epsilon
from eremite.queries.count import per_row
from eremite.queries.fit import require_fit, require_named
from eremite.sensitivity import Glimpse, dampened, glimpse, most_moved, profile_function
from eremite.table import Table

Utility = Literal["auto", "centered", "dampened", "paper"]
Selection = Literal["permute-and-flip", "exponential"]
#: Told how many subspaces were looked at. How soon depends on the rows: for the custodian alone.
Progress = Callable[[int], None]

#: The share of epsilon that the private center costs.
CENTER_SHARE = Fraction(1, 5)
#: Where no row can move a count by more than this, a center is not worth its share.
LITTLE_MOVED = 11
MOST_SUBSPACES = 10_000_000
#: Each draw looks at every candidate.
MOST_LOOKS = 10**8
_MOST_SHOWN = 10**15


@dataclass(frozen=True, slots=True, kw_only=True)
class SubspacesPlan:
    """A search that can be made: what it asks, what it spends, how it draws. Made from public facts only."""

    definition: OutlierDefinition
    family: Subspaces
    h: int
    privacy: Privacy  # of a person, with all rows this person has
    utility: Utility
    selection: Selection
    rows_per_person: int
    center: SmoothLaplace | None  # noise for the center
    each: Fraction  # epsilon of one draw, of a row

    @property
    def cost(self) -> Cost:
        """As the ledger counts it: the center and h draws (claim R2)."""
        center = self.center.epsilon**2 / 2 if self.center else 0
        rho = center + self.h * zcdp_of_draw(self.each, self.selection)
        return Cost(epsilon=self.privacy.epsilon, delta=self.privacy.delta, rho=rho * self.rows_per_person**2)

    @property
    def limit(self) -> int:
        """So many steps below the center a close look ends: what lies further down has next to no chance. Public."""
        return ceil(2 * log(10**6 * self.family.count) / float(self.each))


def family_of(
    table: Table, size: int | None, max_size: int | None, subspaces: Sequence[Sequence[str]] | None
) -> Subspaces:
    """The candidates among the columns of a table, named in one of three ways."""
    return family_among(table.columns, size, max_size, subspaces)


def family_among(
    columns: Sequence[str], size: int | None, max_size: int | None, subspaces: Sequence[Sequence[str]] | None
) -> Subspaces:
    """The same where no table is open."""
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
            f"There are {_shown_count(family)} such subspaces, more than the {MOST_SUBSPACES:,} that are searched; "
            "choose a smaller size or list the subspaces of interest."
        )
    return family


def plan_subspaces(
    table: Table,
    definition: OutlierDefinition,
    family: Subspaces,
    h: int,
    epsilon: object,
    delta: object,
    utility: Utility,
    selection: Selection,
) -> SubspacesPlan:
    """Check a request and split its budget. Of the table only the public facts are looked at."""
    privacy = Privacy(checked_epsilon(epsilon), checked_delta(delta))
    require_fit(definition, table.n_rows)
    _require_choice("utility", utility, get_args(Utility))
    _require_choice("selection", selection, get_args(Selection))
    require_named(h, family.count)
    _require_few_looks(h, family.count)
    most = most_moved(table.n_rows, family.largest, definition.min_neighbors)  # refuses more columns than are known
    if utility == "auto":
        utility = "paper" if most <= LITTLE_MOVED else "centered"
    row = per_row(privacy, table.rows_per_person)
    center = SmoothLaplace(row.epsilon * CENTER_SHARE) if utility == "centered" else None
    left = row.epsilon - (center.epsilon if center else 0)
    each, concentrated = left / h, _concentrated(left, row.delta, h)
    more = concentrated > each
    return SubspacesPlan(
        definition=definition,
        family=family,
        h=h,
        privacy=privacy if more else Privacy(privacy.epsilon),
        utility=utility,
        selection="exponential" if more else selection,
        rows_per_person=table.rows_per_person,
        center=center,
        each=max(each, concentrated),
    )


def compute_subspaces(table: Table, plan: SubspacesPlan, progress: Progress | None = None) -> tuple[Subspace, ...]:
    """The h subspaces, in the order drawn. Differentially private with `plan.privacy`, once that has been charged."""
    family = list(plan.family)
    make = _paper_scores if plan.utility == "paper" else _dampened_scores
    scores = make(table, plan, progress or (lambda _: None))
    draw = scores.exponential if plan.selection == "exponential" else scores.permute_and_flip
    return tuple(family[draw()] for _ in range(plan.h))


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


def _paper_scores(table: Table, plan: SubspacesPlan, progress: Progress) -> Scores:
    """q_S over its global sensitivity; as exact as the counts."""
    exact = [Fraction(one.outliers, one.most) for one in _counts(table, plan, progress)]
    return Scores([(score, score) for score in exact], exact.__getitem__, plan.each / 2)


def _dampened_scores(table: Table, plan: SubspacesPlan, progress: Progress) -> Scores:
    """How many replaced rows away the count is from the center, or from 0."""
    if plan.center is None:
        seen, center = _counts(table, plan, progress), 0
    else:
        seen, center = _counts_and_center(table, plan, plan.center, progress)
    gaps, family = [one.outliers - center for one in seen], list(plan.family)

    def exact(i: int) -> Fraction:
        steps = ceil(abs(dampened(gaps[i], seen[i].lower, plan.limit, seen[i].most)))
        useful = seen[i].most if gaps[i] > 0 else min(seen[i].most, plan.limit)
        profile = profile_function(table.points(family[i]), plan.definition, min(steps, useful) + 1)
        return dampened(gaps[i], profile, plan.limit, seen[i].most)

    bounds = [_bounds(one, gap, plan.limit) for one, gap in zip(seen, gaps, strict=True)]
    return Scores(bounds, exact, plan.each / 2)


def _counts(table: Table, plan: SubspacesPlan, progress: Progress) -> list[Glimpse]:
    k, unknown, seen = plan.definition.min_neighbors, np.empty(0, dtype=np.int64), []
    for subspace, count in count_outliers_in_each(table, plan.definition, plan.family):
        seen.append(Glimpse(count, most_moved(table.n_rows, len(subspace), k), unknown))
        progress(len(seen))
    return seen


def _counts_and_center(
    table: Table, plan: SubspacesPlan, noise: SmoothLaplace, progress: Progress
) -> tuple[list[Glimpse], int]:
    """The counts, and a private number near the middle between the h-th largest of them and the next (claim C1)."""
    largest = Fraction(0)  # of the smooth bounds seen so far

    def look(points: NDArray[np.float64], count: CountNeighbors) -> tuple[Glimpse, Fraction]:
        return glimpse(points, plan.definition, noise.decay, largest, count)

    seen = []
    for _, (one, bound) in in_each(table, plan.family, look):
        seen.append(one)
        largest = max(largest, bound)
        progress(len(seen))
    falling = sorted((one.outliers for one in seen), reverse=True)
    middle = (falling[plan.h - 1] + falling[min(plan.h, len(falling) - 1)]) // 2
    return seen, min(max(noise.draw(middle, largest), 0), table.n_rows)


def _bounds(one: Glimpse, gap: int, limit: int) -> tuple[Fraction, Fraction]:
    values = [dampened(gap, profile, limit, one.most) for profile in (one.lower, one.upper)]
    return min(values), max(values)


def _shown_count(family: Subspaces) -> str:
    """The count, unless it is a number that nobody would read: it can have thousands of digits."""
    return f"more than {_MOST_SHOWN:,}" if family.exceeds(_MOST_SHOWN) else f"{family.count:,}"


def _require_few_looks(h: int, candidates: int) -> None:
    if h * candidates > MOST_LOOKS:
        raise InputError(
            f"Naming {h:,} of {candidates:,} subspaces takes more than the {MOST_LOOKS:,} looks that a search may "
            "take; name fewer, or choose a smaller size."
        )


def _require_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InputError(f"{name} must be one of {', '.join(choices)}.")
