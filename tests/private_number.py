"""Tables whose number of rows is private."""

from typing import Any

from eremite import Table


class _AddRemove(Table):
    neighbors = "add-remove"


def table_of_private_number(rows: Any, bounds: Any, rows_per_person: int = 1) -> Table:
    """A table of which neighbors have a row more or less."""
    return _AddRemove.from_frame(rows, bounds, rows_per_person=rows_per_person)
