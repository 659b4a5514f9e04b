"""A table from a Spark frame whose rows stay on the cluster."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from eremite.errors import InputError
from eremite.privacy import Neighbors
from eremite.table import Categories, Engine
from eremite.table.categories import Value
from eremite.table.rules import CellRules
from eremite.table.spark import is_spark
from eremite.tiles.spark import of_frame
from eremite.tiles.store import Reading
from eremite.tiles.table import TiledTable, tiled_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_NOTHING: Mapping[str, Any] = MappingProxyType({})


def spark_table(
    frame: "DataFrame",
    bounds: Mapping[str, Any],
    rows_per_person: int = 1,
    *,
    categories: Mapping[str, Sequence[Value] | Categories] = _NOTHING,
    missing: Mapping[str, Any] = _NOTHING,
    missing_values: Iterable[str] = (),
    neighbors: Neighbors = "replace",
    rows_about: int | None = None,
    time_zone: str = "UTC",
    max_low_rows: int | None = None,
) -> TiledTable:
    """A table of the rows of a Spark frame, which stay on the cluster: `Session` asks it as it asks one in memory.

    Spark computes the frame again for every question, so it must have the same rows every time. eremite must be
    installed where Spark's Python workers run. `Table.from_frame` collects the rows instead.

    Args:
        frame: The rows, of Spark 4.0 or newer.
        bounds: For each coordinate a pair (min, max) of numbers, of dates or times, or (False, True).
        rows_per_person: The largest number of rows of one person; they are protected together.
        categories: For each category column the list of its values, or `Categories`.
        missing: What becomes of missing cells of a column: "refuse", "leave-out", or a value to fill in.
        missing_values: Texts that mean "missing".
        neighbors: "replace", or "add-remove" to keep the number of rows private.
        rows_about: A public order of magnitude of the number of rows; required with "add-remove".
        time_zone: The zone of dates and times that have none.
        max_low_rows: For how many rows with few neighbors this machine must have room.
    """
    if not is_spark(frame):
        raise InputError("spark_table takes a Spark frame; Table.from_frame takes other ones.")
    reading = Reading(CellRules.of(bounds, missing, categories, missing_values, time_zone), "the frame")
    engine = Engine(kind="spark", max_low_rows=max_low_rows)
    return tiled_table(of_frame(frame, reading), reading, (rows_per_person, neighbors, rows_about), engine)
