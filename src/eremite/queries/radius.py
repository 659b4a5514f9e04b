"""At which radius is about this share of the rows outliers: drawn from a public list (`radius.proof.md`)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import count
from math import ceil, log
from typing import Any, ClassVar

from eremite.errors import InputError
from eremite.ledger import Cost
from eremite.mechanisms.selection import Scores, zcdp_of_draw
from eremite.outliers import OutlierDefinition
from eremite.privacy import Privacy, checked_epsilon, exact, json_number
from eremite.queries.count import per_row
from eremite.queries.fields import FROM_JSON, Columns, Epsilon, MinNeighbors, Radii, Share, Strata
from eremite.queries.fit import relation_of, require_fit
from eremite.queries.plan import Progress
from eremite.release import Parameters, Value
from eremite.sensitivity.radii import walks
from eremite.table import DeclaredTable
from eremite.tiles import AnyTable

#: Nine or ten radii per decade, from 0.001 to 0.4.
RADII = tuple(
    float(f"{digits}e{power}") for power in (-4, -3, -2) for digits in (10, 12, 15, 20, 25, 30, 40, 50, 60, 80)
)[:27]


@dataclass(frozen=True, slots=True, kw_only=True)
class RadiusQuery:
    """At which radius is about this share of the rows outliers."""

    name: ClassVar[str] = "choose_radius"
    __pydantic_config__ = FROM_JSON

    min_neighbors: MinNeighbors
    share: Share
    columns: Columns = None
    radii: Radii = None
    within: Strata = None
    epsilon: Epsilon

    def plan(self, table: DeclaredTable) -> "RadiusPlan":
        """Check the question, from public facts only."""
        privacy = Privacy(checked_epsilon(self.epsilon))
        columns, share = table.choose(self.columns), checked_share(self.share)
        definitions = definitions_for(self.min_neighbors, self.radii, self.within)
        for definition in definitions:
            require_fit(definition, table)
        relation = relation_of(table)
        relation.most_moved(len(columns), definitions[0].min_neighbors)  # refuses more columns than are known
        radii = tuple(definition.radius for definition in definitions)
        return RadiusPlan(
            query=replace(
                self,
                min_neighbors=definitions[0].min_neighbors,
                share=share,
                columns=columns,
                radii=radii,
                within=definitions[0].within or None,
                epsilon=privacy.epsilon,
            ),
            definitions=definitions,
            target=round(share * relation.rows),
            privacy=privacy,
            rows_per_person=table.rows_per_person,
            each=per_row(privacy, table.rows_per_person).epsilon,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RadiusPlan:
    """A choice among radii that can be made."""

    query: RadiusQuery
    definitions: tuple[OutlierDefinition, ...]  # one for each radius
    target: int  # outliers that the share asks for
    privacy: Privacy
    rows_per_person: int
    each: Fraction  # epsilon of the draw, for one row
    mechanism: ClassVar[str] = "permute-and-flip"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that take part."""
        return tuple(self.query.columns or ())

    @property
    def cost(self) -> Cost:
        """The cost as the ledger counts it."""
        rho = zcdp_of_draw(self.each, self.mechanism) * self.rows_per_person**2
        return Cost(epsilon=self.privacy.epsilon, rho=rho)

    @property
    def parameters(self) -> Parameters:
        """The share that was asked for, and the public list."""
        share = json_number(exact(self.query.share, "share"))
        return ("share", share), ("radii", tuple(definition.radius for definition in self.definitions))

    @property
    def limit(self) -> int:
        """How many steps away from the target a close look ends: what lies further has next to no chance. Public."""
        return ceil(2 * log(10**6 * len(self.definitions)) / float(self.each))

    def definition_of(self, value: Value) -> OutlierDefinition:
        """The definition with the radius that was drawn."""
        return next(definition for definition in self.definitions if definition.radius == value)

    def compute(self, table: AnyTable, progress: Progress | None = None) -> float:
        """The radius. Differentially private with `privacy`, once that has been charged."""
        part, relation = table.part(self.columns, self.definitions[0].within), relation_of(table)
        ways = walks(part.points, part.starts, self.definitions, self.target, self.limit, relation)
        told, looks = progress or (lambda _: None), count()

        def score(i: int) -> tuple[Fraction, Fraction]:
            least, most = ways[i].bounds()
            return -most, -least

        def look(i: int) -> tuple[Fraction, Fraction]:
            told(next(looks))
            ways[i].narrow()
            return score(i)

        told(next(looks))
        drawn = Scores([score(i) for i in range(len(ways))], look, self.each / 2).permute_and_flip()
        return self.definitions[drawn].radius


def definitions_for(
    min_neighbors: int, radii: Sequence[float] | None, within: Sequence[str] | None
) -> tuple[OutlierDefinition, ...]:
    """One definition for each radius of a public list."""
    listed = RADII if radii is None else radii
    if not isinstance(listed, list | tuple) or not listed:
        raise InputError("radii must be a list of one or more numbers, each once.")
    strata: Any = () if within is None else within
    definitions = tuple(
        OutlierDefinition(min_neighbors=min_neighbors, radius=radius, within=strata) for radius in listed
    )
    if len(set(definitions)) < len(definitions):
        raise InputError("radii must be a list of one or more numbers, each once.")
    return definitions


def checked_share(value: object) -> Fraction:
    """A share of the rows."""
    share = exact(value, "share")
    if not 0 < share < 1:
        raise InputError("share must be above 0 and below 1: which part of the rows shall be outliers.")
    return share
