"""Columns of a Spark frame, collected on this machine through Arrow; Spark itself is never imported.

Messages of Spark can quote a cell, so they are not passed on.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pyarrow as pa

from eremite.errors import InputError
from eremite.names import list_names, quote_name
from eremite.table.numeric import require_columns


def is_spark(data: Any) -> bool:
    """Whether the data is a Spark frame, of classic Spark or Spark Connect."""
    return hasattr(type(data), "sparkSession")


def collected(data: Any, names: Sequence[str], place: str) -> pa.Table:
    """The named columns; no other column leaves the cluster."""
    if not hasattr(data, "toArrow"):
        raise InputError("A Spark frame needs Spark 4.0 or newer; install it with: pip install 'eremite[spark]'")
    require_columns(names, data.columns, place)
    with suppress(Exception):
        return data.select(*map(_quoted, names)).toArrow()
    raise InputError(
        f"Spark cannot give {list_names(names, show=quote_name)} of {place}; collect them in Spark to see why."
    )


def _quoted(name: str) -> str:
    """The name in backticks: without them, a dot would select a field of a structure."""
    return "`" + name.replace("`", "``") + "`"
