"""A session of Spark for a command, and the rows of what the command names."""

import atexit
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from eremite.errors import InputError
from eremite.names import quote_name, show_name
from eremite.table.spark import is_spark, or_raise
from eremite.tiles.spark import of_files
from eremite.tiles.spark_connect import CHEAP_PLANS, SCHEME, open_connect
from eremite.tiles.spark_rdd import RddSource
from eremite.tiles.spark_tasks import FileParts
from eremite.tiles.store import Reading, Source

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import DataFrame, SparkSession

#: The master where none is named: this machine.
EVERY_CORE = "local[*]"

#: What eremite sets where the user sets nothing: nobody but Spark sees its jobs, and its logs quote no cell.
_SETTINGS = {
    "spark.app.name": "eremite",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.driver.maxResultSize": "0",  # how many low rows come is decided by the rows, and by memory
    **CHEAP_PLANS,
}
_LOOPBACK = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
# Spark moves bytes here and does not compute: Java's second compiler costs more seconds than it saves, and so do
# threads that collect garbage, the packing of coordinates that no network sees, and a file for each tile on their way.
_LOCAL = {
    **_LOOPBACK,
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.shuffle.compress": "false",
    "spark.shuffle.sort.bypassMergeThreshold": "1",
}
_DAEMON = {"spark.python.daemon.module": "eremite.tiles.spark_daemon"}


def open_spark(master: str, settings: Mapping[str, str] = MappingProxyType({})) -> "SparkSession":
    """A session of Spark with this master: "local[4]", "spark://host:7077", "yarn", or "sc://host" of Spark Connect.

    `settings` are those of Spark, and win over those of eremite. A local master listens on the loopback alone, and
    keeps rows that do not fit into memory in a folder that only this user can read.
    """
    _require_spark()
    if master.startswith(SCHEME):
        return open_connect(master, settings)
    open_context(master, settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of versions of pandas, which is not used
        from pyspark.sql import SparkSession

        return SparkSession.builder.getOrCreate()


def open_context(master: str, settings: Mapping[str, str] = MappingProxyType({})) -> "SparkContext":
    """Spark without its engine for queries, which takes as long to start as all the rest."""
    _require_spark()
    _require_java()
    from pyspark import SparkContext

    # Spark gives a context that is open already, whatever is asked for.
    context = SparkContext._active_spark_context or _new_context(master, settings)
    if context.master != master:
        raise InputError("A session of Spark with another master is open already; stop it, or give its frame.")
    return context


def _new_context(master: str, settings: Mapping[str, str]) -> "SparkContext":
    from pyspark import SparkConf, SparkContext

    shown = show_name(master)
    failure = InputError(f"Spark does not start with the master {shown}; correct --master, or start the cluster.")
    chosen = {**_defaults(master, settings), **settings}
    starts_java = SparkContext._gateway is None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        context = or_raise(lambda: SparkContext(master, conf=SparkConf().setAll(list(chosen.items()))), failure)
    if starts_java:
        _forget(context, chosen)
    return context


def _forget(context: "SparkContext", names: Iterable[str]) -> None:
    """Remove what was set from Java's properties: later contexts of this process would have it too."""
    for name in names:
        context._jvm.java.lang.System.clearProperty(name)


def open_files(master: str, path: Path, reading: Reading) -> Source:
    """The rows of files that every machine of the cluster has at this path."""
    if master.startswith(SCHEME):
        return of_files(open_spark(master), path, reading)
    return RddSource(open_context(master), FileParts.of(path, reading), reading)


def spark_frame(session: "SparkSession", source: Any) -> "DataFrame":
    """The frame of a source: a frame, the address of Parquet files such as "hdfs://host/folder", or a table's name."""
    if is_spark(source):
        return source
    text = str(source)
    if "/" in text:
        sentence = "Spark cannot read the source as Parquet; correct the path, or let Spark reach it."
        return _opened(lambda: session.read.parquet(text), sentence)  # an address may hold a password
    return _opened(lambda: session.table(text), f"Spark has no table {quote_name(text)}; correct the name.")


def _opened(action: Any, sentence: str) -> "DataFrame":
    def opened() -> "DataFrame":
        frame = action()
        _ = frame.columns  # Spark Connect looks for a table only now
        return frame

    return or_raise(opened, InputError(sentence))


def _require_spark() -> None:
    if find_spec("pyspark") is None:
        raise InputError("The engine spark needs Spark; install it with: pip install 'eremite[spark]'")


def _require_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java", path=str(Path(home, "bin")) if home else None) is None:
        raise InputError("Spark needs Java 17 or newer: apt-get install openjdk-17-jre-headless, or set JAVA_HOME.")


def _defaults(master: str, settings: Mapping[str, str]) -> dict[str, str]:
    if not master.startswith("local"):
        return _SETTINGS
    python = os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    local = {**_SETTINGS, **_LOCAL, **(_DAEMON if python == sys.executable else {})}
    if "spark.local.dir" in settings:
        return local
    scratch = tempfile.mkdtemp(prefix="eremite-spark-")
    atexit.register(shutil.rmtree, scratch, ignore_errors=True)
    # With TCP, every task waits .05 s for an answer of its Python worker.
    sockets = {"spark.python.unix.domain.socket.enabled": "true", "spark.python.unix.domain.socket.dir": scratch}
    return {**local, "spark.local.dir": scratch, **sockets}
