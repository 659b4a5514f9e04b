"""Rows of files in tiles are the rows of the whole table, whatever the files and the threads."""

import gc
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from eremite.errors import TableError
from eremite.table.files import read_file
from eremite.table.rules import CellRules
from eremite.tiles.files import FilesSource
from eremite.tiles.store import Chunk, Cut, Packed, Reading
from eremite.tiles.tiling import tiling_of
from tests.refusals import refused
from tests.unit.tiles.test_scratch import opened_in

RANDOM = np.random.default_rng(5)
N = 2500
TABLE = pa.table(
    {
        "a": RANDOM.random(N),
        "b": pa.array(RANDOM.random(N), mask=RANDOM.random(N) < 0.1),
        "c": np.where(RANDOM.random(N) < 0.5, 0.25, RANDOM.random(N)),
        "ward": pa.array(RANDOM.choice(["A", "B", "C", None], N).tolist()),
        "sex": RANDOM.integers(0, 2, N),
    }
)
RULES = CellRules.of(
    dict.fromkeys("abc", (0, 1)), {"b": "leave-out", "ward": "leave-out"}, {"ward": ["A", "B", "C"], "sex": [0, 1]}
)
READING = Reading(RULES, "the file")
SAMPLE = RANDOM.random((500, 3))
CUTS = [
    Cut((0, 1, 2), (("ward", 3), ("sex", 2)), (1,), tiling_of(SAMPLE, 8, 0.1), 0, 10**9),
    Cut((2, 0), (), (), tiling_of(SAMPLE[:, :2], 4, 0.1), 8, 10**9),
    Cut((0,), (("sex", 2),), (), tiling_of(SAMPLE[:, :1], 16, 0.1), 12, 10**9),
]
TILES = 28
MEGABYTE = 1 << 20


def write(path: Path, table: pa.Table = TABLE, rows: int = 700) -> Path:
    pyarrow.parquet.write_table(table, path, row_group_size=rows)
    return path


def write_parts(folder: Path) -> Path:
    """Files of other types, some of them empty; some row groups are large and some are small."""
    others = TABLE.set_column(4, "sex", TABLE["sex"].cast(pa.float64())).set_column(
        3, "ward", TABLE["ward"].dictionary_encode()
    )
    write(folder / "1.parquet", TABLE[:0])
    write(folder / "2.parquet", TABLE[:100], 1)
    write(folder / "3.parquet", others[100:1800], 10000)
    write(folder / "4.parquet", TABLE[1800:])
    write(folder / "5.parquet", others[:0])
    return folder


def source(path: Path, threads: int, memory: int = MEGABYTE, scratch: Path | None = None) -> FilesSource:
    return FilesSource(path, READING, memory=memory, scratch=scratch, threads=threads)


def itself(rows: Packed, given: Any) -> tuple[Packed, Any]:
    return rows, given


def tiles_of(cut: Cut, whole: Chunk) -> dict[int, list[tuple[int, ...]]]:
    """The definition: each row that takes part, as integers of the same bits, in the tile of its coordinates."""
    found: dict[int, list[tuple[int, ...]]] = {}
    for row in range(whole.rows):
        codes = [int(whole.codes[name][row]) for name, _ in cut.strata]
        if np.isnan(whole.scaled[list(cut.leaving_out), row]).any() or min(codes, default=0) < 0:
            continue
        point = whole.scaled[list(cut.coordinates), row]
        stratum = [int(np.ravel_multi_index(codes, [radix for _, radix in cut.strata]))] if codes else []
        tile = cut.first + int(cut.tiling.place(point[np.newaxis])[0])
        found.setdefault(tile, []).append((*point.view(np.int64).tolist(), *stratum))
    return {tile: sorted(rows) for tile, rows in found.items()}


def as_sorted(rows: Packed, width: int) -> list[tuple[int, ...]]:
    return sorted(map(tuple, rows.reshape(-1, width).view(np.int64).tolist()))


@pytest.fixture(params=["one row group", "row groups", "folder"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    if request.param == "folder":
        return write_parts(folder)
    return write(folder / "t.parquet", rows=N if request.param == "one row group" else 700)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("memory", [0, 64 * MEGABYTE])
def test_tiles_hold_the_rows_of_the_whole_table(path: Path, threads: int, memory: int) -> None:
    whole = READING.chunk(read_file(path, READING.columns, as_text=RULES.as_text))
    expected = {tile: rows for cut in CUTS for tile, rows in tiles_of(cut, whole).items()}
    widths = [cut.width for cut in CUTS for _ in range(cut.tiling.count)]
    tiles = source(path, threads, memory).cut(CUTS)
    for _ in range(2):  # they stay until they are closed
        found = dict(tiles.each(itself, {tile: f"input {tile}" for tile in range(TILES)}))
        assert {tile: as_sorted(rows, widths[tile]) for tile, (rows, _) in found.items() if rows.size} == expected
        assert {tile: given for tile, (_, given) in found.items()} == {tile: f"input {tile}" for tile in range(TILES)}
    ((tile, _),) = tiles.each(itself, {3: None})
    assert tile == 3
    tiles.close()


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_fold_sees_every_row_once(path: Path, threads: int) -> None:
    whole = READING.chunk(read_file(path, READING.columns, as_text=RULES.as_text))
    found = source(path, threads).fold(lambda chunk: np.sort(chunk.scaled[0]), lambda x, y: np.sort(np.append(x, y)))
    assert found is not None
    assert found.tolist() == np.sort(whole.scaled[0]).tolist()


def test_a_table_without_rows_has_no_chunk_and_empty_tiles(tmp_path: Path) -> None:
    empty = source(write(tmp_path / "t.parquet", TABLE[:0]), 2)
    assert empty.fold(lambda chunk: chunk.rows, lambda x, y: x + y) is None
    assert [rows.size for _, (rows, _) in empty.cut(CUTS).each(itself, dict.fromkeys(range(TILES)))] == [0] * TILES


def test_a_point_that_crowds_a_tile_takes_little_room(tmp_path: Path) -> None:
    sample = np.concatenate([np.full((400, 3), 0.25), SAMPLE[:100]])
    cut = Cut((0, 1, 2), (), (), tiling_of(sample, 8, 0.1), 0, 3)
    ((crowded, _),) = cut.tiling.crowded.items()
    path = write(
        tmp_path / "t.parquet", pa.table({**dict.fromkeys("abc", np.full(N, 0.25)), "ward": ["A"] * N, "sex": [1] * N})
    )
    ((_, (rows, _)),) = source(path, 2, 0).cut([cut]).each(itself, {crowded: None})
    chunks = source(path, 2, 0).fold(lambda _: 1, lambda x, y: x + y)
    assert chunks is not None
    assert rows.tolist() == [0.25] * 9 * chunks


def test_refused_cells_are_named(tmp_path: Path) -> None:
    cells = TABLE["a"].to_pylist()
    cells[N - 1] = None
    path = write(tmp_path / "t.parquet", TABLE.set_column(0, "a", pa.array(cells)))
    for threads in (1, 2):
        bad = source(path, threads, scratch=tmp_path)
        for action in (lambda bad=bad: bad.cut(CUTS), lambda bad=bad: bad.fold(lambda _: 0, lambda x, _: x)):
            with pytest.raises(TableError, match="In the file, column 'a' has cells that are missing or not a number"):
                action()
        assert opened_in(tmp_path) == []


def test_refused_types_are_named_before_a_row_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "t.parquet", TABLE[:0].set_column(0, "a", pa.array([], pa.date32())))
    assert "In the file, column 'a' is of type date32[day], which is not a number" in refused(lambda: source(path, 1))


def test_work_that_fails_stops_all_threads(tmp_path: Path) -> None:
    rows = source(write(tmp_path / "t.parquet"), 3, 0)
    started: list[int] = []

    def fails(_: Any, __: Any = None) -> None:
        started.append(1)
        time.sleep(0.01)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        rows.fold(fails, lambda x, _: x)
    assert len(started) <= 3
    started.clear()
    with pytest.raises(ZeroDivisionError):
        list(rows.cut(CUTS).each(fails, dict.fromkeys(range(TILES))))
    assert len(started) <= 6


def test_no_more_tiles_are_in_memory_than_there_are_threads(tmp_path: Path) -> None:
    tiles = source(write(tmp_path / "t.parquet"), 2).cut(CUTS)
    lock, now, most = threading.Lock(), 0, 0

    def counts(_: Packed, __: Any) -> None:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.002)
        with lock:
            now -= 1

    assert len(list(tiles.each(counts, dict.fromkeys(range(TILES))))) == TILES
    assert most == 2


def test_threads_share_a_large_row_group(tmp_path: Path) -> None:
    write(tmp_path / "1.parquet", TABLE[:1])
    write(tmp_path / "2.parquet", pa.concat_tables([TABLE] * 8), 8 * N)

    def work(_: Chunk) -> list[int]:
        time.sleep(0.005)
        return [threading.get_ident()]

    found = source(tmp_path, 2, 0).fold(work, lambda x, y: x + y)
    assert found is not None
    assert min(map(found.count, set(found))) > 3
    assert len(set(found)) == 2


def _size_and_every_third(rows: Packed, width: int) -> tuple[int, Packed]:
    return rows.size, rows.reshape(-1, width)[::3].reshape(-1)


@pytest.mark.parametrize("memory", [MEGABYTE, 64 * MEGABYTE])
def test_narrowed_tiles_have_the_rows_that_the_work_keeps(tmp_path: Path, memory: int) -> None:
    whole = FilesSource(write(tmp_path / "t.parquet"), READING, memory=memory, scratch=tmp_path).cut(CUTS)
    widths = {tile: cut.width for cut in CUTS for tile in cut.tiles if tile % 2}
    rows = dict(whole.each(lambda rows, _: rows, dict.fromkeys(range(TILES))))
    found, narrowed = whole.narrowed(_size_and_every_third, widths)
    assert found == {tile: rows[tile].size for tile in widths}
    kept = dict(narrowed.each(lambda rows, _: rows, dict.fromkeys(range(TILES))))
    for tile in range(TILES):
        expected = _size_and_every_third(rows[tile], widths[tile])[1] if tile % 2 else np.empty(0)
        assert sorted(kept[tile].tolist()) == sorted(expected.tolist())
    narrowed.close()
    ((_, again),) = whole.each(lambda rows, _: rows, {0: None})
    assert sorted(again.tolist()) == sorted(rows[0].tolist())
    whole.close()


def test_tiles_that_are_forgotten_leave_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "scratch"
    folder.mkdir()
    path = write(tmp_path / "t.parquet")
    tiles = source(path, 2, scratch=folder).cut(CUTS)
    halfway: Iterator[Any] = iter(tiles.each(itself, dict.fromkeys(range(TILES))))
    next(halfway)
    assert len(opened_in(folder)) == 1
    assert list(folder.iterdir()) == []
    del tiles, halfway
    gc.collect()
    assert opened_in(folder) == []


def test_tiles_are_sized_by_the_memory_and_the_threads(tmp_path: Path) -> None:
    path = write(tmp_path / "t.parquet")
    assert source(path, 4, 1024 * MEGABYTE).tile_bytes == 32 * MEGABYTE
    assert source(path, 4, 0).tile_bytes == MEGABYTE
    assert source(path, 4).workers == 4
