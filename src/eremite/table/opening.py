"""Open the private table that a description points to."""

import pyarrow as pa

from eremite.table.description import Description
from eremite.table.files import read_file
from eremite.table.numeric import float_columns, of_public_rows
from eremite.table.postgres import read_postgres
from eremite.table.sources import source_kind
from eremite.table.sqlite import read_sqlite
from eremite.table.table import Table


def open_table(description: Description) -> Table:
    """Read the described columns, check that every row has a finite number in each, clip and scale.

    Problems with the rows are a `TableError`, for the custodian: it gives the place, the column and the number of rows,
    but no value. Any other error depends on public facts alone: the description, the place, the column names.
    """
    wanted = list(description.bounds)
    columns = float_columns(_read(description, wanted), wanted, _place(description))
    return Table.from_columns(columns, description.bounds, description.dataset.rows_per_person)


def open_stand_in(description: Description) -> Table | None:
    """The public rows that stand in for the table, read and scaled like its own; None if the description names none."""
    path = description.stand_in_path
    if path is None:
        return None
    wanted = list(description.bounds)
    columns = of_public_rows(
        lambda: float_columns(read_file(path, wanted, description.dataset.writing), wanted, str(path))
    )
    return Table.from_columns(columns, description.bounds, description.dataset.rows_per_person)


def _read(description: Description, wanted: list[str]) -> pa.Table:
    dataset = description.dataset
    match source_kind(dataset.source):
        case "postgresql":
            return read_postgres(dataset.source, dataset.query or "", wanted)
        case "sqlite":
            return read_sqlite(description.source_path, dataset.query or "", wanted)
        case _:
            return read_file(description.source_path, wanted, dataset.writing)


def _place(description: Description) -> str:
    kind = source_kind(description.dataset.source)
    if kind == "postgresql":
        return f"the PostgreSQL query of {description.path}"
    return f"the query on {description.source_path}" if kind == "sqlite" else str(description.source_path)
