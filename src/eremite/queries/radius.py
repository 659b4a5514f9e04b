"""At which radius is about this share of the rows outliers: drawn from a public list (`radius.proof.md`)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log

import numpy as np

from eremite.errors import InputError
from eremite.ledger import Cost
from eremite.mechanisms.selection import Scores, zcdp_of_draw
from eremite.outliers import OutlierDefinition, count_outliers
from eremite.privacy import Privacy, checked_epsilon, exact
from eremite.queries.count import per_row
from eremite.queries.fit import require_fit
from eremite.sensitivity import Glimpse, dampened, most_moved, profile_function
from eremite.table import Table

#: Ten a decade, from where neighbors are all but equal to where half of everything is one.
RADII = tuple(
    float(f"{digits}e{power}") for power in (-4, -3, -2) for digits in (10, 12, 15, 20, 25, 30, 40, 50, 60, 80)
)[:27]
_SELECTION = "permute-and-flip"


@dataclass(frozen=True, slots=True, kw_only=True)
class RadiusPlan:
    """A choice that can be made. From public facts only."""

    definitions: tuple[OutlierDefinition, ...]  # one for each radius
    columns: tuple[str, ...]
    share: Fraction
    target: int  # outliers that the share asks for
    privacy: Privacy  # of a person, with all rows this person has
    rows_per_person: int
    each: Fraction  # epsilon of the draw, of a row

    @property
    def cost(self) -> Cost:
        """As the ledger counts it."""
        rho = zcdp_of_draw(self.each, _SELECTION) * self.rows_per_person**2
        return Cost(epsilon=self.privacy.epsilon, rho=rho)

    @property
    def limit(self) -> int:
        """So many steps away from the target a close look ends: what lies further has next to no chance. Public."""
        return ceil(2 * log(10**6 * len(self.definitions)) / float(self.each))


def plan_radius(
    table: Table,
    min_neighbors: int,
    columns: Iterable[str] | None,
    share: object,
    radii: Sequence[float] | None,
    epsilon: object,
) -> RadiusPlan:
    """Check a request. Of the table only the public facts are looked at."""
    privacy = Privacy(checked_epsilon(epsilon))
    names, wanted = table.choose(columns), checked_share(share)
    definitions = definitions_for(min_neighbors, radii)
    for definition in definitions:
        require_fit(definition, table.n_rows)
    most_moved(table.n_rows, len(names), min_neighbors)  # refuses more columns than are known
    return RadiusPlan(
        definitions=definitions,
        columns=names,
        share=wanted,
        target=round(wanted * table.n_rows),
        privacy=privacy,
        rows_per_person=table.rows_per_person,
        each=per_row(privacy, table.rows_per_person).epsilon,
    )


def definitions_for(min_neighbors: int, radii: Sequence[float] | None) -> tuple[OutlierDefinition, ...]:
    """One definition for each radius of a public list."""
    listed = RADII if radii is None else radii
    if not isinstance(listed, list | tuple) or not listed or len(set(listed)) < len(listed):
        raise InputError("radii must be a list of one or more numbers, each once.")
    return tuple(OutlierDefinition(min_neighbors=min_neighbors, radius=radius) for radius in listed)


def checked_share(value: object) -> Fraction:
    """A share of the rows."""
    share = exact(value, "share")
    if not 0 < share < 1:
        raise InputError("share must be above 0 and below 1: which part of the rows shall be outliers.")
    return share


def compute_radius(table: Table, plan: RadiusPlan) -> str:
    """The radius, as it is written. Differentially private with `plan.privacy`, once that has been charged."""
    points = table.points(plan.columns)
    most = most_moved(len(points), len(plan.columns), plan.definitions[0].min_neighbors)
    off = [-abs(count_outliers(points, definition) - plan.target) for definition in plan.definitions]
    unknown = Glimpse(0, most, np.empty(0, dtype=np.int64))

    def score(i: int) -> Fraction:
        steps = min(ceil(-dampened(off[i], unknown.lower, plan.limit, most)), most, plan.limit) + 1
        return dampened(off[i], profile_function(points, plan.definitions[i], steps), plan.limit, most)

    bounds = [tuple(dampened(gap, p, plan.limit, most) for p in (unknown.lower, unknown.upper)) for gap in off]
    drawn = Scores([(min(pair), max(pair)) for pair in bounds], score, plan.each / 2).permute_and_flip()
    return repr(plan.definitions[drawn].radius)
