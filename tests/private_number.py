"""Tables whose number of rows is private."""

from typing import Any

from eremite import Table


def table_of_private_number(rows: Any, bounds: Any, rows_per_person: int = 1) -> Table:
    """A table of which neighbors have a row more or less, about a hundred as declared."""
    return Table.from_frame(rows, bounds, rows_per_person=rows_per_person, neighbors="add-remove", rows_about=100)
