"""The contract of a `Source`, for frames of Spark on this machine and on a cluster."""

import gc
import io
import re
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from eremite.errors import TableError
from eremite.tiles.spark import SparkSource, of_files, of_frame
from eremite.tiles.spark_connect import is_connect
from eremite.tiles.store import Cut
from eremite.tiles.tiling import Tiling
from tests.refusals import refused
from tests.spark import rows as work
from tests.spark.cluster import settled, wait_until
from tests.spark.rows import SECRET, cut_of, found_in, frame_of, reading, table

RANDOM = np.random.default_rng(3)
SKEWED = np.where(RANDOM.random((3000, 1)) < 0.5, RANDOM.random((3000, 3)) * 1e-3, RANDOM.random((3000, 3)))
ONE_FAR = np.concatenate([RANDOM.random((2999, 3)) * 1e-6, [[1.0, 1.0, 1.0]]])
TABLES = {
    **{f"{d} columns": RANDOM.random((2000, d)) for d in (1, 2, 3, 5, 10)},
    "skewed": SKEWED,
    "one far row": ONE_FAR,
    "few values": RANDOM.integers(0, 3, (3000, 2)) / 2,
    "one row": RANDOM.random((1, 2)),
}


def source(spark: Any, rows: np.ndarray, partitions: int = 3) -> SparkSource:
    return of_frame(frame_of(spark, table(rows), partitions), reading(rows.shape[1]))


@pytest.fixture
def kept(spark: Any, request: pytest.FixtureRequest) -> Callable[[], int]:
    """How many frames Spark keeps, besides those of earlier tests."""

    def count() -> int:
        return len(spark.sparkContext._jsc.getPersistentRDDs())

    found = request.getfixturevalue("server").frames_kept if is_connect(spark) else count
    before = settled(found)
    return lambda: found() - before


def test_fold_sees_every_row_once(spark: Any) -> None:
    rows = TABLES["3 columns"]
    count, total = source(spark, rows).fold(work.sums, work.added) or (0, 0.0)
    assert count == len(rows)
    assert total == pytest.approx(rows.sum())


def test_fold_of_no_rows_is_none(spark: Any) -> None:
    assert source(spark, np.empty((0, 2))).fold(work.sums, work.added) is None


def test_fold_joins_what_small_batches_hold(spark: Any) -> None:
    before = spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch")
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "10")
    try:
        found = source(spark, TABLES["2 columns"], 2).fold(one_chunk, plus)
    finally:
        spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", before)
    assert found == 2  # one for each partition


def one_chunk(_chunk: Any) -> int:
    return 1


def plus(one: int, other: int) -> int:
    return one + other


@pytest.mark.parametrize("rows", TABLES.values(), ids=TABLES)
def test_cut_gives_the_rows_of_each_tile(spark: Any, rows: np.ndarray) -> None:
    cut = cut_of(rows)
    tiles = source(spark, rows).cut([cut])
    expected = work.by_definition(reading(rows.shape[1]), cut, table(rows))
    assert found_in(tiles, range(8), cut.width) == expected
    tiles.close()


def test_cut_of_equal_rows_keeps_enough_copies(spark: Any) -> None:
    rows = np.full((3000, 2), 0.25)
    tiling = Tiling(np.zeros(4, np.int64), np.full(4, np.inf), {0: (0.25, 0.25)})
    tiles = source(spark, rows).cut([Cut((0, 1), (), (), tiling, 0, 7)])
    [(tile, found)] = [(tile, some) for tile, some in tiles.each(work.rows_of, dict.fromkeys(range(4))) if some.size]
    assert tile == 0
    assert set(found.tolist()) == {0.25}
    assert 7 <= found.size // 2 <= 3 * 7
    tiles.close()


def test_cuts_with_other_columns_are_kept_side_by_side(spark: Any) -> None:
    rows = TABLES["5 columns"]
    cuts = [
        Cut((0, 1), (), (), work.tiling(rows[:, :2], 4), 0, 1000),
        Cut((4,), (), (), work.tiling(rows[:, 4:], 2), 4, 1000),
    ]
    tiles = source(spark, rows).cut(cuts)
    for cut, numbers in zip(cuts, (range(4), range(4, 6)), strict=True):
        assert found_in(tiles, numbers, cut.width) == work.by_definition(reading(5), cut, table(rows))
    tiles.close()


def test_work_gets_the_input_of_its_tile_and_no_other_tile(spark: Any) -> None:
    rows = TABLES["3 columns"]
    cut = cut_of(rows)
    tiles = source(spark, rows).cut([cut])
    sizes = {tile: 3 * len(some) for tile, some in work.by_definition(reading(3), cut, table(rows)).items()}
    given = {2: "two", 5: np.arange(3)}
    found = dict(tiles.each(work.size_and_input, given))
    assert found.keys() == given.keys()
    assert found[2] == (sizes[2], "two")
    assert found[5][1].tolist() == [0, 1, 2]
    tiles.close()


def test_tile_without_rows_has_an_empty_array(spark: Any) -> None:
    rows = TABLES["one row"]
    tiling = Tiling(np.zeros(4, np.int64), np.full(4, np.inf))
    tiles = source(spark, rows).cut([Cut((0, 1), (), (), tiling, 0, 1000)])
    found = dict(tiles.each(work.size_and_input, dict.fromkeys(range(4), "given")))
    assert found == {0: (2, "given"), 1: (0, "given"), 2: (0, "given"), 3: (0, "given")}
    assert dict(tiles.each(work.size_and_input, {})) == {}
    tiles.close()


def test_partitions_without_rows_change_nothing(spark: Any) -> None:
    rows = TABLES["3 columns"][:3]
    cut = cut_of(rows, 2)
    tiles = source(spark, rows, 6).cut([cut])
    assert found_in(tiles, range(2), 3) == work.by_definition(reading(3), cut, table(rows))
    tiles.close()


def test_rows_are_left_out_and_strata_come_along(spark: Any) -> None:
    numbers = RANDOM.random((400, 2))
    rows = pa.table(
        {
            "x0": pa.array(numbers[:, 0], mask=RANDOM.random(400) < 0.2),
            "x1": numbers[:, 1],
            "ward": pa.array(RANDOM.choice(["north", "south"], 400), mask=RANDOM.random(400) < 0.1),
        }
    )
    rules = reading(2, missing={"x0": "leave-out", "ward": "leave-out"}, categories={"ward": ["north", "south"]})
    cut = Cut((0, 1), (("ward", 3),), (0,), work.tiling(numbers, 4), 0, 1000)
    tiles = of_frame(frame_of(spark, rows), rules).cut([cut])
    expected = work.by_definition(rules, cut, rows)
    assert 200 < sum(map(len, expected.values())) < 400
    assert found_in(tiles, range(4), 3) == expected
    tiles.close()


def test_refused_cells_raise_the_sentence_of_the_rules(spark: Any) -> None:
    rows = pa.table({"x0": [0.5, None, 0.25], "x1": ["0.5", SECRET, "0.25"]})
    asked = of_frame(frame_of(spark, rows), reading(2))
    with pytest.raises(TableError) as in_memory:
        reading(2).chunk(rows)
    assert refused(lambda: asked.fold(work.sums, work.added)) == str(in_memory.value)
    with pytest.raises(RuntimeError, match=r"^Spark could not cut the rows into tiles; its logs say why\.$"):
        asked.cut([cut_of(TABLES["2 columns"])])  # rows that were refused are not asked about


def test_errors_of_work_are_one_sentence_without_a_cell(spark: Any) -> None:
    asked = source(spark, TABLES["2 columns"])
    with pytest.raises(RuntimeError, match=r"^A task of Spark ended with ValueError\.$"):
        asked.fold(work.failing, work.added)
    tiles = asked.cut([cut_of(TABLES["2 columns"])])
    with pytest.raises(RuntimeError, match=r"^A task of Spark ended with ValueError\.$"):
        list(tiles.each(work.failing_tile, {0: None}))
    tiles.close()


def test_errors_of_the_frame_are_one_sentence_without_a_cell(spark: Any) -> None:
    frame = spark.sql(f"SELECT CAST(note AS DOUBLE) AS x0 FROM VALUES ('1'), ('{SECRET}') AS t(note)")
    asked = of_frame(frame, reading(1))
    assert refused(lambda: asked.fold(work.sums, work.added)) == (
        "Spark cannot give 'x0' of the frame; collect them in Spark to see why."
    )
    with pytest.raises(RuntimeError, match=r"^Spark could not cut the rows into tiles; its logs say why\.$"):
        asked.cut([cut_of(TABLES["1 columns"])])


def test_files_give_the_same_rows_as_frames(spark: Any, tmp_path: Path) -> None:
    rows = TABLES["3 columns"]
    for part in range(3):
        parquet.write_table(table(rows[part::3]), tmp_path / f"{part}.parquet", row_group_size=100)
    asked = of_files(spark, tmp_path, reading(3))
    assert (asked.fold(work.sums, work.added) or (0, 0.0))[0] == len(rows)
    cut = cut_of(rows)
    tiles = asked.cut([cut])
    assert found_in(tiles, range(8), 3) == work.by_definition(reading(3), cut, table(rows))
    tiles.close()


def test_files_that_change_or_go_are_refused(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    parquet.write_table(table(TABLES["2 columns"]), path)
    asked = of_files(spark, path, reading(2))
    parquet.write_table(table(TABLES["2 columns"][:1000]), path)
    assert "changed while it was read" in refused(lambda: asked.fold(work.sums, work.added))
    path.unlink()
    assert "does not exist" in refused(lambda: asked.fold(work.sums, work.added))


def test_columns_that_are_not_there_are_refused(spark: Any) -> None:
    assert "'x1' is not in the frame" in refused(lambda: of_frame(spark.sql("SELECT 1D AS x0"), reading(2)))


def test_every_tile_has_a_partition_of_its_own(spark: Any) -> None:
    rows = TABLES["3 columns"]
    tiles = source(spark, rows).cut([cut_of(rows, 32)])
    where = tiles.frame.selectExpr("tile", "spark_partition_id()").distinct().collect()
    assert len(where) == 32
    assert len({partition for _, partition in where}) == 32
    tiles.close()


def test_tiles_are_kept_until_they_are_closed_or_forgotten(spark: Any, kept: Callable[[], int]) -> None:
    asked = source(spark, TABLES["2 columns"])
    tiles = asked.cut([cut_of(TABLES["2 columns"])])
    assert kept() == 1
    tiles.close()
    tiles.close()
    wait_until(lambda: kept() == 0, "tiles that are closed are removed")
    tiles = asked.cut([cut_of(TABLES["2 columns"])])
    assert kept() == 1
    del tiles
    gc.collect()
    wait_until(lambda: kept() == 0, "tiles that are forgotten are removed")


def test_tiles_are_cut_once(spark: Any, kept: Callable[[], int]) -> None:
    """Work on tiles reads what Spark keeps. Spark Connect has to recognize the frame in every plan that it is sent."""
    tiles = source(spark, TABLES["2 columns"]).cut([cut_of(TABLES["2 columns"])])
    cuts = r"(?s)InMemoryTableScan.*MapInArrow"  # the plan of what is kept is shown below the scan
    for _ in range(2):
        shown = io.StringIO()
        with redirect_stdout(shown):
            tiles.frame.filter("tile < 3").explain()
        assert re.search(cuts, shown.getvalue())
        assert found_in(tiles, range(8), 2)
    assert kept() == 1
    tiles.close()


def test_tiles_that_were_refused_are_not_kept(spark: Any, kept: Callable[[], int]) -> None:
    asked = of_frame(frame_of(spark, pa.table({"x0": [0.5, None]})), reading(1))
    with pytest.raises(RuntimeError):
        asked.cut([cut_of(TABLES["1 columns"])])
    gc.collect()
    wait_until(lambda: kept() == 0, "tiles that were refused are removed")


def test_settings_of_the_session_are_as_before(spark: Any) -> None:
    before = dict(spark.conf.getAll)
    source(spark, TABLES["2 columns"]).cut([cut_of(TABLES["2 columns"])]).close()
    assert dict(spark.conf.getAll) == before


def test_description_of_jobs_is_as_before(spark: Any) -> None:
    if is_connect(spark):
        pytest.skip("the server describes jobs")
    context = spark.sparkContext
    context.setLocalProperty("spark.job.description", "mine")
    source(spark, TABLES["2 columns"]).fold(work.sums, work.added)
    assert context.getLocalProperty("spark.job.description") == "mine"
    context.setLocalProperty("spark.job.description", None)


def test_workers_are_the_cores_of_the_cluster(spark: Any) -> None:
    assert source(spark, TABLES["one row"]).workers == 2
