"""Processes of a cluster that are killed while they work: the rows are the same."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as parquet
import pytest

from eremite.tiles.spark import of_files, of_frame
from eremite.tiles.spark_rdd import RddSource
from eremite.tiles.store import Source
from tests.spark import rows as work
from tests.spark.cluster import EXECUTOR, WORKER, Cluster, Processes, kill, wait_until

ROWS = np.random.default_rng(5).random((4000, 2))
CUT = work.cut_of(ROWS)
EXPECTED = work.by_definition(work.reading(2), CUT, work.table(ROWS))


def kill_a_python_worker(where: Processes) -> None:
    wait_until(lambda: bool(where.python_workers()), "a Python worker runs")
    kill(where.python_workers()[0])


def kill_an_executor(cluster: Cluster) -> None:
    kill(cluster.processes(EXECUTOR)[0])


def kill_a_worker(cluster: Cluster) -> None:
    """Kill a worker with all that it has started, as if its machine were gone; start another one."""
    for process in cluster.family(cluster.processes(WORKER)[0]):
        kill(process)
    cluster.start_worker()


KILLS = [kill_a_python_worker, kill_an_executor, kill_a_worker]


@pytest.fixture(params=["frame", "files"])
def source(request: pytest.FixtureRequest, on_cluster: Any, cluster: Cluster, tmp_path: Path) -> Source:
    """The rows, once both executors are there."""
    if request.param == "files":
        return in_files(on_cluster, cluster, tmp_path)
    wait_until(lambda: len(cluster.processes(EXECUTOR)) == 2, "two executors run")
    return of_frame(on_cluster.createDataFrame(work.table(ROWS)).repartition(6), work.reading(2))


def in_files(on_cluster: Any, cluster: Cluster, folder: Path) -> RddSource:
    """The same in a file."""
    wait_until(lambda: len(cluster.processes(EXECUTOR)) == 2, "two executors run")
    parquet.write_table(work.table(ROWS), folder / "rows.parquet", row_group_size=len(ROWS) // 6)
    found = of_files(on_cluster, folder / "rows.parquet", work.reading(2))
    assert isinstance(found, RddSource)
    return found


@contextmanager
def meanwhile(action: Callable[[], None]) -> Iterator[None]:
    """Do something in the middle of what happens here; it must have been the middle."""
    over = threading.Event()

    def act() -> bool:
        time.sleep(0.6)
        in_time = not over.is_set()
        action()
        return in_time

    with ThreadPoolExecutor(1) as pool:
        acted = pool.submit(act)
        yield
        over.set()
        assert acted.result()


@pytest.mark.parametrize("action", KILLS)
def test_tiles_are_the_same_after_a_kill(source: Source, cluster: Cluster, action: Callable[[Cluster], None]) -> None:
    tiles = source.cut([CUT])
    with meanwhile(lambda: action(cluster)):
        found = dict(tiles.each(work.slow_rows_of, dict.fromkeys(range(8))))
    assert {tile: work.sorted_rows(rows, 2) for tile, rows in found.items()} == EXPECTED
    assert work.found_in(tiles, range(8), 2) == EXPECTED
    tiles.close()


@pytest.mark.parametrize("action", KILLS)
def test_narrowed_tiles_are_the_same_after_kills(
    on_cluster: Any, cluster: Cluster, action: Callable[[Cluster], None], tmp_path: Path
) -> None:
    """One while rows are put aside, and one when the others are asked for."""
    whole = in_files(on_cluster, cluster, tmp_path).cut([CUT])
    with meanwhile(lambda: action(cluster)):
        found, tiles = whole.narrowed(work.slow_size_and_rows, dict.fromkeys(range(8)))
    assert found == {tile: 2 * len(rows) for tile, rows in EXPECTED.items()}
    wait_until(lambda: len(cluster.processes(EXECUTOR)) == 2, "two executors run")
    with meanwhile(lambda: action(cluster)):
        again = dict(tiles.each(work.slow_rows_of, dict.fromkeys(range(8))))
    assert {tile: work.sorted_rows(rows, 2) for tile, rows in again.items()} == EXPECTED
    tiles.close()
    whole.close()


@pytest.mark.slow
@pytest.mark.parametrize("action", KILLS)
def test_fold_and_cut_are_the_same_after_a_kill(
    source: Source, cluster: Cluster, action: Callable[[Cluster], None]
) -> None:
    with meanwhile(lambda: action(cluster)):
        count, total = source.fold(work.slow_sums, work.added) or (0, 0.0)
    assert (count, total) == (len(ROWS), pytest.approx(ROWS.sum()))
    tiles = source.cut([CUT])
    assert work.found_in(tiles, range(8), 2) == EXPECTED
    tiles.close()
