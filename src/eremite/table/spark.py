"""Columns of a Spark frame, collected on this machine through Arrow. Nothing of Spark is imported.

Spark's messages can quote a cell, so none is passed on.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pyarrow as pa

from eremite.errors import InputError
from eremite.names import list_names, quote_name
from eremite.table.numeric import require_columns


def is_spark(data: Any) -> bool:
    """Whether it is a frame of Spark, classic or by Spark Connect."""
    return hasattr(type(data), "sparkSession")


def collected(data: Any, names: Sequence[str], place: str) -> pa.Table:
    """The named columns; no other leaves the cluster."""
    if not hasattr(data, "toArrow"):
        raise InputError("A frame of Spark needs Spark 4.0 or newer; install it with: pip install 'eremite[spark]'")
    require_columns(names, data.columns, place)
    with suppress(Exception):
        return data.select(*map(_quoted, names)).toArrow()
    raise InputError(
        f"Spark cannot give {list_names(names, show=quote_name)} of {place}; collect them in Spark to see why."
    )


def _quoted(name: str) -> str:
    """In backticks, since a dot in a plain name points into a structure."""
    return "`" + name.replace("`", "``") + "`"
