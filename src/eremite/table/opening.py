"""Open the private table that a description points to."""

from contextlib import suppress

import pyarrow as pa

from eremite.errors import InputError, TableError
from eremite.privacy import Neighbors
from eremite.table.batches import Pieces, is_read_in_pieces
from eremite.table.description import Description
from eremite.table.files import read_file
from eremite.table.numeric import of_public_rows
from eremite.table.postgres import read_postgres
from eremite.table.rules import CellRules
from eremite.table.sources import source_kind
from eremite.table.sqlite import read_sqlite
from eremite.table.table import Table


def open_table(description: Description) -> Table:
    """Read the described columns, apply the rules of the description to every cell, clip and scale.

    Problems with the rows are a `TableError`, for the custodian: it gives the place, the column and the key to set, but
    no value, no row and no number of rows. Any other error depends on public facts alone: the description, the place,
    the column names.
    """
    rules = description.rules()
    found = _in_pieces(description, rules)
    return found or _table(description, rules, _read(description, rules), place_of(description))


def open_stand_in(description: Description) -> Table | None:
    """The public rows that stand in for the table, read and scaled like its own; None if the description names none."""
    path = description.stand_in_path
    if path is None:
        return None
    rules, writing = description.rules(), description.dataset.writing
    wanted = [*rules.bounds, *rules.categories]
    return of_public_rows(
        lambda: _table(description, rules, read_file(path, wanted, writing, rules.as_text), str(path))
    )


def _in_pieces(description: Description, rules: CellRules) -> Table | None:
    """The table of a file that can be read piece by piece, without a second copy of its rows in memory.

    None also if something is refused: the file is read as a whole then, and one sentence names all columns it is about.
    """
    path = description.source_path
    if source_kind(description.dataset.source) != "file" or not is_read_in_pieces(path):
        return None
    with suppress(TableError):
        pieces = Pieces.of(path, [*rules.bounds, *rules.categories], rules.as_text)
        scaled, codes = pieces.scaled(rules, str(path))
        return Table.from_rows(scaled, codes, rules, *_facts(description))
    return None


def _facts(description: Description) -> tuple[int, Neighbors, int | None]:
    dataset = description.dataset
    return dataset.rows_per_person, dataset.neighbors, dataset.rows_about


def _table(description: Description, rules: CellRules, read: pa.Table, place: str) -> Table:
    columns = {name: read.column(name) for name in (*rules.bounds, *rules.categories)}
    return Table.from_columns(columns, rules, *_facts(description), place=place)


def _read(description: Description, rules: CellRules) -> pa.Table:
    dataset, wanted = description.dataset, [*rules.bounds, *rules.categories]
    match source_kind(dataset.source):
        case "postgresql":
            return read_postgres(dataset.source, dataset.query or "", wanted)
        case "spark":
            raise InputError(f'{description.path} names a source that Spark reads; set kind = "spark" in [engine].')
        case "sqlite":
            texts = [name for name in rules.bounds if rules.missing[name] != "refuse"]
            return read_sqlite(description.source_path, dataset.query or "", wanted, [*rules.as_text, *texts])
        case _:
            return read_file(description.source_path, wanted, dataset.writing, rules.as_text)


def place_of(description: Description) -> str:
    """The source in sentences; without an address, which may hold a password."""
    kind = source_kind(description.dataset.source)
    if kind == "spark":
        return f"the source of {description.path}"
    if kind == "postgresql":
        return f"the PostgreSQL query of {description.path}"
    return f"the query on {description.source_path}" if kind == "sqlite" else str(description.source_path)
