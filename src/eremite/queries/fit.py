"""Whether a question fits a table, from public facts."""

from collections.abc import Sequence

from eremite.errors import InputError
from eremite.outliers import OutlierDefinition
from eremite.sensitivity.relation import Relation
from eremite.table import DeclaredTable
from eremite.tiles import TiledTable


def relation_of(table: DeclaredTable) -> Relation:
    """Which tables are neighbors of this one, and how many rows there are, exactly or about. Public."""
    return Relation(table.neighbors, table.facts.rows)


def require_fit(definition: object, table: DeclaredTable) -> OutlierDefinition:
    """The definition, if it can tell rows apart in this table, as far as is public; with `within` as the table has it.

    A row with half of all rows near it is no outlier by any meaning of the word: `min_neighbors` is at most half the
    number of rows, or where that is private, of how many there are about.
    """
    if not isinstance(definition, OutlierDefinition):
        raise InputError("definition must be an OutlierDefinition, with min_neighbors and radius.")
    most = most_neighbors(table.facts.rows)
    if definition.min_neighbors > most:
        raise InputError(
            f"min_neighbors {definition.min_neighbors} does not fit a table of {table.facts.rows_in_words}: a row with "
            f"half of them near it is no outlier; {f'choose at most {most:,}' if most else 'it needs more rows'}."
        )
    if definition.radius >= 1:
        raise InputError(
            f"radius {definition.radius!r} does not fit: columns are scaled to [0, 1] by their bounds, and no two rows "
            "are further apart than 1; choose a radius well below 1."
        )
    table.choose_within(definition.within)
    if isinstance(table, TiledTable):
        table.require_room(definition.min_neighbors)
    return definition


def most_neighbors(rows: int) -> int:
    """The largest `min_neighbors` that anybody can mean in a table of so many rows."""
    return rows // 2


def require_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Refuse a value that is none of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise InputError(f"{name} must be one of {', '.join(choices)}.")


def require_named(h: object, candidates: int) -> None:
    """Refuse to name none, or more than there are. The sentence spells h out, since the command line has no h."""
    if type(h) is not int or not 1 <= h <= candidates:
        raise InputError(
            f"How many to name (h) must be a whole number from 1 to {candidates}, the number of candidates."
        )
