"""Columns of a Spark frame, collected on this machine through Arrow; Spark is imported by whoever made the frame.

Messages of Spark can quote a cell, so they are not passed on.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from logging import LogRecord
from typing import Any, TypeVar

import pyarrow as pa

from eremite.errors import InputError
from eremite.names import list_names, quote_name
from eremite.table.numeric import require_columns

Result = TypeVar("Result")

# The last one, of Spark Connect, is silent unless SPARK_CONNECT_LOG_LEVEL is set.
_LOGGERS = ("DataFrameQueryContextLogger", "SQLQueryContextLogger", "pyspark.sql.connect.logging")
_silent: ContextVar[bool] = ContextVar("silent", default=False)


def is_spark(data: Any) -> bool:
    """Whether the data is a Spark frame, of classic Spark or Spark Connect."""
    return hasattr(type(data), "sparkSession")


def collected(data: Any, names: Sequence[str], place: str) -> pa.Table:
    """The named columns; no other column leaves the cluster."""
    require_version(data)
    require_columns(names, data.columns, place)
    return or_raise(lambda: data.select(*map(quoted, names)).toArrow(), InputError(not_given(names, place)))


def not_given(names: Sequence[str], place: str) -> str:
    """The sentence about columns that Spark does not give."""
    return f"Spark cannot give {list_names(names, show=quote_name)} of {place}; collect them in Spark to see why."


def or_raise(action: Callable[[], Result], failure: Exception) -> Result:
    """The result of an action of Spark; its errors may quote a cell, and are not the context of `failure` either."""
    with suppress(Exception), _unlogged():
        return action()
    raise failure


@contextmanager
def _unlogged() -> Iterator[None]:
    """While it lasts, pyspark logs no error of this thread. It would quote the query and a cell on standard error."""
    from pyspark.logger import PySparkLogger

    for name in _LOGGERS:
        PySparkLogger.getLogger(name).addFilter(_may_be_logged)  # a second time changes nothing
    token = _silent.set(True)
    try:
        yield
    finally:
        _silent.reset(token)


def _may_be_logged(_record: LogRecord) -> bool:
    return not _silent.get()


def require_version(data: Any) -> None:
    """Refuse a frame of a Spark that cannot give its rows as Arrow."""
    if not hasattr(data, "toArrow"):
        raise InputError("A Spark frame needs Spark 4.0 or newer; install it with: pip install 'eremite[spark]'")


def quoted(name: str) -> str:
    """The name in backticks: without them, a dot would select a field of a structure."""
    return "`" + name.replace("`", "``") + "`"
