"""The contract of a `Source`, for files that tasks of Spark read, on this machine and on a cluster."""

import gc
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from eremite.errors import TableError
from eremite.tiles.spark_rdd import RddSource
from eremite.tiles.spark_session import open_context
from eremite.tiles.spark_tasks import FileParts
from eremite.tiles.store import Cut, Packed, Reading
from eremite.tiles.tiling import Tiling
from tests.refusals import refused
from tests.spark import rows as work
from tests.spark.cluster import SETTINGS, wait_until
from tests.spark.rows import SECRET, cut_of, found_in, reading, table
from tests.spark.test_source import TABLES, one_chunk, plus


@pytest.fixture(scope="module", params=["local", "cluster"])
def context(request: pytest.FixtureRequest, installed: None) -> Iterator[Any]:
    """Spark without its engine for queries."""
    if request.param == "local":
        opened = open_context("local[2]")
    else:
        opened = open_context(request.getfixturevalue("cluster").master, SETTINGS)
    yield opened
    opened.stop()


@pytest.fixture
def source(context: Any, tmp_path: Path) -> Callable[..., RddSource]:
    """Makes a source of rows in two files, with several row groups each."""

    def made(rows: np.ndarray | pa.Table, how: Reading | None = None) -> RddSource:
        written = table(rows) if isinstance(rows, np.ndarray) else rows
        half = written.num_rows // 2
        for name, part in (("1", written.slice(0, half)), ("2", written.slice(half))):
            parquet.write_table(part, tmp_path / f"{name}.parquet", row_group_size=300)
        used = how or reading(written.num_columns)
        return RddSource(context, FileParts.of(tmp_path, used), used)

    return made


Sources = Callable[..., RddSource]


def test_fold_sees_every_row_once(source: Sources) -> None:
    rows = TABLES["3 columns"]
    count, total = source(rows).fold(work.sums, work.added) or (0, 0.0)
    assert count == len(rows)
    assert total == pytest.approx(rows.sum())


def test_fold_of_no_rows_is_none(source: Sources) -> None:
    assert source(np.empty((0, 2))).fold(one_chunk, plus) is None


@pytest.mark.parametrize("rows", TABLES.values(), ids=TABLES)
def test_cut_gives_the_rows_of_each_tile(source: Sources, rows: np.ndarray) -> None:
    cut = cut_of(rows)
    tiles = source(rows).cut([cut])
    assert found_in(tiles, range(8), cut.width) == work.by_definition(reading(rows.shape[1]), cut, table(rows))
    tiles.close()


def test_cuts_with_other_columns_are_kept_side_by_side(source: Sources) -> None:
    rows = TABLES["5 columns"]
    cuts = [
        Cut((0, 1), (), (), work.tiling(rows[:, :2], 4), 0, 1000),
        Cut((4,), (), (), work.tiling(rows[:, 4:], 2), 4, 1000),
    ]
    tiles = source(rows).cut(cuts)
    for cut, numbers in zip(cuts, (range(4), range(4, 6)), strict=True):
        assert found_in(tiles, numbers, cut.width) == work.by_definition(reading(5), cut, table(rows))
    tiles.close()


def test_work_gets_the_input_of_its_tile_and_no_other_tile(source: Sources) -> None:
    rows = TABLES["3 columns"]
    cut = cut_of(rows)
    tiles = source(rows).cut([cut])
    sizes = {tile: 3 * len(some) for tile, some in work.by_definition(reading(3), cut, table(rows)).items()}
    assert dict(tiles.each(work.size_and_input, {2: "two", 5: "five"})) == {2: (sizes[2], "two"), 5: (sizes[5], "five")}
    tiles.close()


def low_half(packed: Packed, given: Any) -> tuple[Any, Packed]:
    """The size and the input, and the rows whose first coordinate is below a half."""
    rows = packed.reshape(-1, 3)
    return (packed.size, given), rows[rows[:, 0] < 0.5].reshape(-1)


def test_narrowed_tiles_have_the_rows_that_the_work_keeps(source: Sources) -> None:
    rows = TABLES["3 columns"]
    cut = cut_of(rows)
    whole = source(rows).cut([cut])
    found, tiles = whole.narrowed(low_half, dict.fromkeys(range(6), "given"))
    expected = work.by_definition(reading(3), cut, table(rows))
    assert found == {tile: (3 * len(expected[tile]), "given") for tile in range(6)}
    kept = work.by_definition(reading(3), cut, table(rows[rows[:, 0] < 0.5]))
    assert found_in(tiles, range(8), 3) == {tile: some for tile, some in kept.items() if tile < 6}
    assert found_in(whole, range(8), 3) == expected
    tiles.close()
    whole.close()


def test_tile_without_rows_has_an_empty_array(source: Sources) -> None:
    tiling = Tiling(np.zeros(4, np.int64), np.full(4, np.inf))
    tiles = source(np.full((1, 3), 0.25)).cut([Cut((0, 1, 2), (), (), tiling, 0, 1000)])
    expected = {0: (3, "given"), 1: (0, "given"), 2: (0, "given"), 3: (0, "given")}
    assert dict(tiles.each(work.size_and_input, dict.fromkeys(range(4), "given"))) == expected
    assert dict(tiles.each(work.size_and_input, {})) == {}
    assert tiles.narrowed(low_half, {})[0] == {}
    assert tiles.narrowed(low_half, dict.fromkeys(range(4), "given"))[0] == expected
    tiles.close()


def test_rows_are_left_out_and_strata_come_along(source: Sources) -> None:
    random = np.random.default_rng(8)
    rows = pa.table(
        {
            "x0": pa.array(random.random(900), mask=random.random(900) < 0.2),
            "x1": random.random(900),
            "ward": pa.array(random.choice(["north", "south"], 900), mask=random.random(900) < 0.1),
        }
    )
    rules = {"categories": {"ward": ["south", "north"]}, "missing": {"x0": "leave-out", "ward": "leave-out"}}
    cut = Cut((0, 1), (("ward", 2),), (0,), work.tiling(random.random((100, 2)), 4), 0, 1000)
    how = reading(2, **rules)
    tiles = source(rows, how).cut([cut])
    assert found_in(tiles, range(4), 3) == work.by_definition(how, cut, rows)
    tiles.close()


def test_refused_cells_raise_the_sentence_of_the_rules(source: Sources) -> None:
    rows = pa.table({"x0": [0.5, None, 0.25]})
    asked = source(rows)
    with pytest.raises(TableError) as in_memory:
        reading(1).chunk(rows)
    assert refused(lambda: asked.fold(work.sums, work.added)) == str(in_memory.value)
    tiles = asked.cut([cut_of(TABLES["1 columns"])])  # rows that were refused are not asked about
    with pytest.raises(RuntimeError, match=r"^Spark could not finish its work on tiles; its logs say why\.$"):
        dict(tiles.each(work.rows_of, {0: None}))
    with pytest.raises(RuntimeError, match=r"^Spark could not finish its work on tiles; its logs say why\.$"):
        tiles.narrowed(low_half, {0: None})


def test_files_that_changed_or_are_gone_are_named(source: Sources, tmp_path: Path) -> None:
    asked = source(TABLES["2 columns"])
    parquet.write_table(table(TABLES["2 columns"][:1000]), tmp_path / "2.parquet")
    tiles = asked.cut([cut_of(TABLES["2 columns"])])
    assert "2.parquet changed while it was read" in refused(lambda: asked.fold(work.sums, work.added))
    assert "2.parquet changed while it was read" in refused(lambda: dict(tiles.each(work.rows_of, {0: None})))
    (tmp_path / "2.parquet").unlink()
    assert "2.parquet does not exist" in refused(lambda: tiles.narrowed(work.size_and_rows, {0: None}))


def failing_to_narrow(packed: Packed, _given: Any) -> tuple[Any, Packed]:
    raise ValueError(f"{SECRET} {packed[:1]}")


def test_errors_of_work_are_one_sentence_without_a_cell(source: Sources) -> None:
    asked = source(TABLES["2 columns"])
    with pytest.raises(RuntimeError, match=r"^A task of Spark ended with ValueError\.$"):
        asked.fold(work.failing, work.added)
    tiles = asked.cut([cut_of(TABLES["2 columns"])])
    with pytest.raises(RuntimeError, match=r"^A task of Spark ended with ValueError\.$"):
        list(tiles.each(work.failing_tile, {0: None}))
    with pytest.raises(RuntimeError, match=r"^Spark could not finish its work on tiles; its logs say why\.$"):
        tiles.narrowed(failing_to_narrow, {0: None})
    tiles.close()


def test_every_tile_has_a_partition_of_its_own(source: Sources) -> None:
    tiles = source(TABLES["3 columns"]).cut([cut_of(TABLES["3 columns"], 32)])
    tiles_in = tiles._rows.mapPartitions(lambda parts: [{tile for tile, _ in parts}]).collect()
    assert sorted(map(tuple, tiles_in)) == [(tile,) for tile in range(32)]
    tiles.close()


def test_tiles_are_kept_until_they_are_closed_or_forgotten(context: Any, source: Sources) -> None:
    if not context.master.startswith("local"):
        pytest.skip("on this machine, where the disk can be looked at")
    asked, scratch = source(TABLES["2 columns"]), Path(context.getConf().get("spark.local.dir"))

    def is_kept(rows: bool, narrowed: bool) -> bool:
        inputs = any(path.is_file() for path in Path(context._temp_dir).rglob("*"))
        return (any(scratch.rglob("shuffle_*.data")), any(scratch.rglob("rdd_*")), inputs) == (rows, narrowed, narrowed)

    gc.collect()
    wait_until(lambda: is_kept(False, False), "nothing is kept of the test before")
    tiles = asked.cut([cut_of(TABLES["2 columns"])])
    _, narrowed = tiles.narrowed(work.size_and_rows, dict.fromkeys(range(8)))
    assert is_kept(True, True)
    narrowed.close()
    wait_until(lambda: is_kept(True, False), "narrowed tiles that are closed are removed")
    tiles.close()
    tiles.close()
    wait_until(lambda: is_kept(False, False), "tiles that are closed are removed")
    tiles = asked.cut([cut_of(TABLES["2 columns"])])
    _, narrowed = tiles.narrowed(work.size_and_rows, dict.fromkeys(range(8)))
    del tiles
    assert found_in(narrowed, range(8), 2)
    assert is_kept(True, True)
    del narrowed
    gc.collect()
    wait_until(lambda: is_kept(False, False), "tiles that are forgotten are removed")


def test_description_of_jobs_is_as_before(context: Any, source: Sources) -> None:
    context.setLocalProperty("spark.job.description", "mine")
    source(TABLES["2 columns"]).fold(work.sums, work.added)
    assert context.getLocalProperty("spark.job.description") == "mine"
    context.setLocalProperty("spark.job.description", None)


def test_workers_are_the_cores_of_the_cluster(source: Sources) -> None:
    assert source(TABLES["one row"]).workers == 2


def test_large_files_have_more_partitions_and_no_part_is_cut(tmp_path: Path) -> None:
    parquet.write_table(table(TABLES["1 columns"]), tmp_path / "rows.parquet", row_group_size=20)
    files = pickle.loads(pickle.dumps(FileParts.of(tmp_path / "rows.parquet", reading(1))))  # noqa: S301
    assert len(files.parts) == 100
    assert files.partitions(2) == 16
    assert files.partitions(50) == 100
    assert sum(rows.num_rows for rows in files.rows(range(100))) == 2000
