"""`python -m benchmarks.scale_run`: one count of one table with one engine, in a process of its own.

`benchmarks.scale` starts it and measures it from outside. It prints one line of JSON: the released value, the seconds
it took to open the table and to ask, and the CPU seconds of the thread that did so, which no other core can take over.
The noise is made of the same bits in every process, so that engines can be compared.
"""

import argparse
import json
import os
import sys
from random import Random
from time import perf_counter, process_time, thread_time

_TOUCHED, _PAGE = 4_000_000_000, 4096  # bytes


def main() -> None:
    """Count, and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("engine", choices=("memory", "files", "spark", "dbscan", "idle", "touch"))
    parser.add_argument("--description")
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("--k", type=int)
    parser.add_argument("--radius", type=float)
    parser.add_argument("--memory")
    given = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: given.cores])  # threads and processes inherit it
    if given.engine == "touch":
        _touch()
    elif given.engine == "dbscan":
        _dbscan(given)
    else:
        _eremite(given)


def _eremite(given: argparse.Namespace) -> None:
    import eremite
    from eremite.mechanisms import entropy
    from eremite.table import read_description
    from eremite.tiles import open_rows

    if given.engine == "idle":
        return
    bits = Random(1)  # noqa: S311 -- the rows are public
    setattr(entropy, "system_bits", bits.getrandbits)  # noqa: B010 -- the type checker allows no assignment
    master = f"local[{given.cores}]" if given.engine == "spark" else None
    memory = given.memory if given.engine == "files" else None
    begin, used = perf_counter(), thread_time()
    engine = eremite.Engine(kind=given.engine, master=master, memory=memory)
    table = open_rows(read_description(given.description), engine)
    assert given.engine != "spark" or "pyspark" in sys.modules, "Another engine than Spark opened the table."
    session = eremite.Session(table, epsilon=1, expectations=False)
    opened = perf_counter()
    definition = eremite.OutlierDefinition(min_neighbors=given.k, radius=given.radius)
    value = session.count_outliers(definition, epsilon=1).value
    _say(value, opened - begin, perf_counter() - opened, thread_time() - used)


def _touch() -> None:
    """What memory costs at its first use: on a virtual machine, its host may have to find it first."""
    import numpy as np

    taken = []
    for _ in range(2):
        begin = process_time()
        np.empty(_TOUCHED // 8)[:: _PAGE // 8] = 1
        taken.append(f"{(process_time() - begin) / (_TOUCHED / 1e9):.2f}")
    print(f"{taken[0]} CPU s for each GB, {taken[1]} if another process or the same one has just freed it")


def _dbscan(given: argparse.Namespace) -> None:
    """The peer: clusters, and on the way to them which rows have enough neighbors."""
    from pathlib import Path

    from benchmarks.peers import dbscan_outliers
    from benchmarks.scale_tables import read

    begin, used = perf_counter(), thread_time()
    points = read(Path(given.description))
    opened = perf_counter()
    outliers = dbscan_outliers(points, given.radius * points.shape[1] ** 0.5, given.k)
    _say(int(outliers.sum()), opened - begin, perf_counter() - opened, thread_time() - used)


def _say(value: int, opened: float, asked: float, alone: float) -> None:
    print(json.dumps({"value": value, "opened": opened, "asked": asked, "alone": alone}))


if __name__ == "__main__":
    main()
