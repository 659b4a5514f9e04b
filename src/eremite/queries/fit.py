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

    Where the number of rows is private, any min_neighbors fits.
    """
    if not isinstance(definition, OutlierDefinition):
        raise InputError("definition must be an OutlierDefinition, with min_neighbors and radius.")
    if table.neighbors == "replace" and definition.min_neighbors >= table.n_rows:
        raise InputError(
            f"min_neighbors {definition.min_neighbors} does not fit a table of {table.n_rows} rows: every row would be "
            "an outlier; choose a smaller one."
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
