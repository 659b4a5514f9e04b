"""Spark Connect: a server has the session of Spark; this process sends it plans, and gets records back over gRPC.

Everything on rows is the same as with a session in this process. What differs is here: how a session is opened, whether
its server answers, how many tasks it does at once, and how much one plan may hold.
"""

import atexit
import re
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import RLock
from typing import TYPE_CHECKING, Any

from eremite.errors import InputError
from eremite.names import show_name
from eremite.table.spark import or_raise

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SCHEME = "sc://"
#: How many bytes of rows a plan may hold. A message may have 128 MB, but a server makes several copies of a plan, and
#: with the default memory of 1 GB one of 57 MB ended it.
MOST_SENT = 16 << 20

#: Plans are simple, and adapting them costs a second. Coordinates hardly become smaller when they are packed, and large
#: batches are copied as they grow.
CHEAP_PLANS = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.inMemoryColumnarStorage.compressed": "false",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(4 << 20),
}

_MOST_CORES = 1 << 13
_one_at_a_time = RLock()  # or one would restore what another has set; again, as garbage may be collected meanwhile
#: Plans have rows in them, and the server need not remember them.
_SETTINGS = {**CHEAP_PLANS, "spark.connect.session.planCache.enabled": "false"}


def is_connect(session: "SparkSession") -> bool:
    """Whether a session is one of Spark Connect. Its module is imported by whoever made the session."""
    module = sys.modules.get("pyspark.sql.connect.session")
    return module is not None and isinstance(session, module.SparkSession)


def open_connect(master: str, settings: Mapping[str, str]) -> "SparkSession":
    """A session of its own at a server such as "sc://host:15002", which is released when this process ends.

    Other sessions of this process, of Spark Connect or not, stay what they are.
    """
    session_type = _session_type()
    address = re.split("[/;]", master.removeprefix(SCHEME))[0]  # what follows may hold a token
    failure = InputError(
        f"The Spark Connect server {show_name(SCHEME + address)} does not answer; correct --master, or start the "
        "server."
    )
    session = or_raise(lambda: session_type(master), failure)
    with without_retries(session):
        or_raise(lambda: _set_all(session, {**_SETTINGS, **settings}), failure)
    atexit.register(_release, session)  # not earlier: a server logs the plan, with its rows, of work that is cut short
    return session


def require_answer(session: "SparkSession") -> None:
    """Refuse a session whose server does not answer, or has forgotten it. Looks at no row."""
    failure = InputError(
        "The Spark Connect server does not answer, or has ended the session; start it, then open the table again."
    )
    with without_retries(session):
        or_raise(lambda: session.version, failure)


def cores(session: "SparkSession") -> int:
    """How many tasks the server does at once: in so many parts it divides numbers, unless it is told otherwise."""
    parts = session.range(_MOST_CORES).selectExpr("spark_partition_id() AS part").selectExpr("max(part) AS last")
    failure = InputError("Spark cannot run a task; its logs say why.")
    return 1 + int(or_raise(parts.toArrow, failure)["last"][0].as_py())


def _session_type() -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of versions of pandas, which is not used
            from pyspark.sql.connect.session import SparkSession
    except ImportError:
        raise InputError("Spark Connect needs its client; install it with: pip install 'eremite[spark]'") from None
    return SparkSession


def _set_all(session: "SparkSession", settings: Mapping[str, str]) -> None:
    for name, value in settings.items():
        session.conf.set(name, value)


def _release(session: "SparkSession") -> None:
    with without_retries(session):
        session.stop()


@contextmanager
def without_retries(session: Any) -> Iterator[None]:
    """While it lasts, a server that does not answer is an error at once; otherwise that takes ten minutes."""
    if not is_connect(session):
        yield
        return
    with _one_at_a_time, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = session.client.get_retry_policies()
        session.client.set_retry_policies([])
        try:
            yield
        finally:
            session.client.set_retry_policies(before)
