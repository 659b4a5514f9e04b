"""Questions about rows on Spark are answered, bit for bit, as in memory; also while processes are killed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import eremite
from eremite.engines import low_rows
from eremite.table import Engine, Table
from eremite.tiles import TiledTable, tiled_table
from eremite.tiles.spark import of_files, of_frame
from eremite.tiles.store import Reading
from tests.contracts.test_low_rows import TABLES, crowds, sorted_rows
from tests.spark import rows as work
from tests.spark.cluster import EXECUTOR, wait_until
from tests.spark.conftest import is_local
from tests.spark.test_faults import KILLS, kill_a_python_worker, meanwhile
from tests.unit.tiles.test_questions import COLUMNS, QUESTIONS, RULES, answer, in_memory

DEFINITION = eremite.OutlierDefinition(min_neighbors=5, radius=0.01)
FEW = ("count in strata", "count by ward", "search", "detect", "radius")  # on the cluster and the server as well


def on_spark(session: Any, neighbors: str = "replace") -> TiledTable:
    reading = Reading(RULES, "the frame")
    frame = session.createDataFrame(pa.table(COLUMNS)).repartition(3)
    about = None if neighbors == "replace" else 1000
    return tiled_table(of_frame(frame, reading, tile_bytes=2000), reading, (1, neighbors, about), Engine())


@pytest.mark.parametrize("question", QUESTIONS)
def test_answers_on_spark_are_those_in_memory(spark: Any, monkeypatch: pytest.MonkeyPatch, question: str) -> None:
    if not is_local(spark) and question not in FEW:
        pytest.skip("on this machine alone")
    neighbors = "add-remove" if question == "rows" else "replace"
    one = answer(monkeypatch, in_memory(neighbors), QUESTIONS[question], 1)
    other = answer(monkeypatch, on_spark(spark, neighbors), QUESTIONS[question], 1)
    assert one.value == other.value


HARD = ("clusters", "half equal", "all equal", "one far row", "most in one tile", "no row", "few values in 3 columns")


@pytest.mark.parametrize("name", [name for name in TABLES if name in HARD or name.startswith("uniform")])
def test_low_rows_on_spark_are_those_in_memory(spark: Any, name: str) -> None:
    if not is_local(spark) and name not in HARD:
        pytest.skip("on this machine alone")
    points = TABLES[name]
    reading = work.reading(points.shape[1])
    frame = work.frame_of(spark, work.table(points), 5)  # some are empty where there is one row, or none
    table = tiled_table(of_frame(frame, reading, tile_bytes=1024), reading, (1, "replace", None), Engine())
    here, there = low_rows(points, 0.07, 5, 60), table.part().low(0.07, 5, 60)
    if not there:
        assert here.degrees.size == 0
        return
    assert there[0].outliers == here.outliers
    assert sorted_rows(there[0]) == sorted_rows(here)
    assert crowds(there[0], 59) == crowds(here, 59)


def clustered(rows: int) -> np.ndarray:
    rng = np.random.default_rng(4)
    points = rng.normal(rng.random((9, 3))[rng.integers(0, 9, rows)], 0.04)
    points[: rows // 50] = rng.random((rows // 50, 3))
    return np.clip(points, 0, 1)


@pytest.mark.parametrize(
    ("place", "action"), [*(("cluster", action) for action in KILLS), ("server", kill_a_python_worker)]
)
def test_a_count_is_the_same_after_a_kill(
    request: pytest.FixtureRequest,
    place: str,
    action: Callable[[Any], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    points = clustered(400_000)
    parquet.write_table(work.table(points), tmp_path / "rows.parquet", row_group_size=40_000)
    reading = work.reading(3)
    session, killed = request.getfixturevalue(f"on_{place}"), request.getfixturevalue(place)
    if place == "cluster":
        wait_until(lambda: len(killed.processes(EXECUTOR)) == 2, "two executors run")
    source = of_files(session, tmp_path / "rows.parquet", reading, tile_bytes=1 << 18)
    table = tiled_table(source, reading, (1, "replace", None), Engine())

    def ask(session: eremite.Session) -> eremite.Release:
        return session.count_outliers(DEFINITION, epsilon=1)

    with meanwhile(lambda: action(killed)):
        found = answer(monkeypatch, table, ask, 1)
    whole = Table.from_columns(dict(zip(reading.columns, points.T, strict=True)), reading.rules, place="here")
    assert found.value == answer(monkeypatch, whole, ask, 1).value


@pytest.mark.slow
def test_twenty_four_million_points_fit_through_small_heaps(on_cluster: Any, tmp_path: Path) -> None:
    """Executors and driver of the cluster have a gigabyte or less each (`cluster.SETTINGS`)."""
    points = clustered(24_000_000)
    parquet.write_table(work.table(points), tmp_path / "rows.parquet", row_group_size=500_000)
    reading = work.reading(3)
    source = of_files(on_cluster, tmp_path / "rows.parquet", reading)
    there = tiled_table(source, reading, (1, "replace", None), Engine()).part().low(0.003, 5, 20)
    here = low_rows(points, 0.003, 5, 20)
    assert there[0].outliers == here.outliers
    assert sorted_rows(there[0]) == sorted_rows(here)
