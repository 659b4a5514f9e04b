"""A program that asks for rows which are refused, and for work that fails; it prints the sentences.

Its arguments are the master, a Parquet file whose cells are refused, and a folder for Spark's log of events.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from eremite.errors import TableError
from eremite.tiles.spark import of_files, of_frame
from eremite.tiles.spark_connect import is_connect
from eremite.tiles.spark_session import open_spark, spark_frame
from tests.spark import rows as work
from tests.spark.cluster import SETTINGS


def sentence(action: Callable[[], object]) -> str:
    try:
        return f"no error: {action()}"
    except (TableError, RuntimeError) as error:
        return f"{type(error).__name__}: {error}"


def main(master: str, file: str, events: str) -> None:
    logs = {"spark.log.level": "WARN", "spark.eventLog.enabled": "true", "spark.eventLog.dir": events}
    logs["spark.eventLog.compress"] = "false"
    session = open_spark(master, {} if master.startswith("sc:") else {**SETTINGS, **logs})  # a server has its own logs
    frame = spark_frame(session, file)
    cut = work.cut_of(np.random.default_rng(1).random((100, 1)))
    refused = of_frame(frame, work.reading(1))
    fine = of_frame(frame, work.reading(1, missing={"x0": 0.5}))
    print(sentence(lambda: refused.fold(work.sums, work.added)))  # noqa: T201
    print(sentence(lambda: refused.cut([cut])))  # noqa: T201
    print(sentence(lambda: fine.fold(work.failing, work.added)))  # noqa: T201
    tiles = fine.cut([cut])
    print(sentence(lambda: list(tiles.each(work.failing_tile, dict.fromkeys(range(8))))))  # noqa: T201
    in_files = of_files(session, Path(file), work.reading(1))
    print(sentence(lambda: in_files.fold(work.sums, work.added)))  # noqa: T201
    print(sentence(lambda: list(in_files.cut([cut]).each(work.rows_of, {0: None}))))  # noqa: T201
    if not is_connect(session):
        session.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
