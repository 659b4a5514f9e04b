"""What a killed process leaves serves the same question, nobody else, and not for long."""

import errno
import gc
import os
import pickle
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eremite.table.rules import CellRules
from eremite.tiles import checkpoint
from eremite.tiles.checkpoint import open_checkpoint
from eremite.tiles.files import FilesSource, FileTiles
from eremite.tiles.store import Cut, Packed, Reading
from tests.refusals import refused
from tests.unit.tiles.test_files import CUTS, READING, TABLE, TILES, as_sorted, write

DAY = 24 * 60 * 60
WIDTHS = [cut.width for cut in CUTS for _ in cut.tiles]
GIVEN = {tile: np.arange(tile) for tile in range(TILES)}


def rows_of(rows: Packed, given: Any) -> tuple[Packed, int]:
    """Work that can be kept."""
    return rows, given.size


def source(folder: Path, *, resume: bool = True, reading: Reading = READING) -> FilesSource:
    return FilesSource(folder / "t.parquet", reading, memory=1 << 20, scratch=folder, resume=resume, threads=2)


def found_in(tiles: FileTiles) -> dict[int, list[tuple[int, ...]]]:
    return {tile: as_sorted(rows, WIDTHS[tile]) for tile, (rows, _) in tiles.each(rows_of, GIVEN)}


def folders(folder: Path) -> list[Path]:
    return sorted(path for home in folder.glob("eremite-*") for path in home.iterdir())


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    write(tmp_path / "t.parquet")
    yield tmp_path
    for home in tmp_path.glob("eremite-*"):
        home.chmod(0o700)


_KILLED = """
import os, signal, sys
from itertools import islice
from pathlib import Path
from eremite.tiles.store import Cut
from tests.unit.tiles import test_checkpoint as tests
folder, when = Path(sys.argv[1]), sys.argv[2]
if when == "while cutting":
    split, calls = Cut.split, []
    def killed(self, chunk):
        calls.append(chunk)
        if len(calls) > 5:
            os.kill(os.getpid(), signal.SIGKILL)
        return split(self, chunk)
    Cut.split = killed
tiles = tests.source(folder).cut(tests.CUTS)
list(islice(tiles.each(tests.rows_of, tests.GIVEN), 9))
os.kill(os.getpid(), signal.SIGKILL)
"""


def killed(folder: Path, when: str = "while counting") -> Path:
    """The folder that is left of a process which was killed."""
    done = subprocess.run([sys.executable, "-c", _KILLED, str(folder), when], check=False, capture_output=True)
    assert (done.returncode, done.stderr) == (-signal.SIGKILL, b"")
    (left,) = folders(folder)
    return left


def abandoned(folder: Path, identity: str) -> Path:
    """A folder as a killed process leaves it."""
    made = open_checkpoint(folder, identity)
    assert made is not None
    detached = made._remove.detach()
    assert detached is not None
    _, _, (path, lock, _), _ = detached
    os.close(lock)
    return path


def without_reading_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: object) -> None:
        raise AssertionError("Rows were cut again.")

    monkeypatch.setattr(Cut, "split", refuses)


def test_a_killed_process_leaves_what_the_next_one_needs_not_do_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = found_in(source(folder, resume=False).cut(CUTS))
    left = killed(folder)
    kept = [path.name for path in left.iterdir() if not path.name.endswith(".part")]
    assert {"rows", "runs"} < set(kept)
    assert 9 <= len(kept) - 2 < TILES
    without_reading_rows(monkeypatch)
    tiles = source(folder).cut(CUTS)
    again: list[int] = []
    read = tiles._scratch.read
    monkeypatch.setattr(tiles._scratch, "read", lambda tile: again.append(tile) or read(tile))
    assert found_in(tiles) == expected
    assert sorted(again) == sorted(set(range(TILES)) - {int(name.split("-")[0]) for name in kept if "-" in name})
    tiles.close()
    assert folders(folder) == []


def test_rows_that_were_not_all_cut_are_cut_again(folder: Path) -> None:
    expected = found_in(source(folder, resume=False).cut(CUTS))
    left = killed(folder, "while cutting")
    assert [path.name for path in left.iterdir()] == ["rows"]
    tiles = source(folder).cut(CUTS)
    assert folders(folder) == [left]
    assert found_in(tiles) == expected


def test_nobody_else_can_read_what_is_left(folder: Path) -> None:
    left = killed(folder)
    assert [path.stat().st_mode & 0o777 for path in (left.parent, left)] == [0o700, 0o700]
    assert {path.stat().st_mode & 0o777 for path in left.iterdir()} == {0o600}
    assert left.parent.name == f"eremite-{os.geteuid()}"


def written_again(folder: Path) -> FileTiles:
    before = (folder / "t.parquet").stat()
    (folder / "t.parquet").write_bytes((folder / "t.parquet").read_bytes())
    os.utime(folder / "t.parquet", ns=(before.st_atime_ns, before.st_mtime_ns))  # its size and time are the same
    return source(folder).cut(CUTS)


def other_file(folder: Path) -> FileTiles:
    write(folder / "other.parquet", TABLE[:-1])
    (folder / "other.parquet").rename(folder / "t.parquet")
    return source(folder).cut(CUTS)


def other_rules(folder: Path) -> FileTiles:
    bounds = {**dict.fromkeys("abc", (0, 1)), "a": (0, 2)}
    missing, categories = dict(READING.rules.missing), {"ward": ["A", "B", "C"], "sex": [0, 1]}
    rules = CellRules.of(bounds, {"b": missing["b"], "ward": "leave-out"}, categories)
    return source(folder, reading=Reading(rules, "the file")).cut(CUTS)


def other_cuts(folder: Path) -> FileTiles:
    return source(folder).cut(CUTS[:2])


@pytest.mark.parametrize("other", [written_again, other_file, other_rules, other_cuts])
def test_folders_serve_no_other_table_and_no_other_cut(folder: Path, other: Any) -> None:
    first = source(folder).cut(CUTS)
    (left,) = folders(folder)
    second = other(folder)
    assert len(set(folders(folder)) - {left}) == 1
    second.close()
    assert folders(folder) == [left]
    first.close()


def test_other_work_and_other_inputs_are_not_taken_for_what_was_kept(folder: Path) -> None:
    tiles = source(folder).cut(CUTS)
    first = dict(tiles.each(rows_of, GIVEN))
    again = dict(tiles.each(rows_of, {tile: np.arange(tile + 1) for tile in range(TILES)}))
    assert {tile: size for tile, (_, size) in again.items()} == {tile: size + 1 for tile, (_, size) in first.items()}
    sizes = dict(tiles.each(only_size, GIVEN))
    assert sizes == {tile: rows.size for tile, (rows, _) in first.items()}


def only_size(rows: Packed, _: Any) -> int:
    return rows.size


def test_two_that_ask_the_same_at_once_do_not_share_a_folder(folder: Path) -> None:
    first, second = source(folder).cut(CUTS), source(folder).cut(CUTS)
    assert len(folders(folder)) == 1
    assert found_in(second) == found_in(first)
    second.close()
    assert len(folders(folder)) == 1
    first.close()
    assert folders(folder) == []


def fails(*_: object) -> None:
    raise ZeroDivisionError


def test_tiles_that_are_forgotten_or_fail_leave_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiles = source(folder).cut(CUTS)
    with pytest.raises(ZeroDivisionError):
        list(tiles.each(fails, GIVEN))
    del tiles
    gc.collect()
    assert folders(folder) == []
    monkeypatch.setattr(Cut, "split", fails)
    with pytest.raises(ZeroDivisionError):
        source(folder).cut(CUTS)
    assert folders(folder) == []


def test_a_forked_process_removes_nothing_of_its_parent(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parent = os.getpid()
    tiles = source(folder).cut(CUTS)
    monkeypatch.setattr(os, "getpid", lambda: parent + 1)
    tiles.close()
    assert len(folders(folder)) == 1


def test_a_file_that_changed_is_not_taken_for_the_one_that_was_opened(folder: Path) -> None:
    opened = source(folder)
    (folder / "t.parquet").write_bytes((folder / "t.parquet").read_bytes() + b" ")
    assert "changed while it was read" in refused(lambda: opened.cut(CUTS))
    assert folders(folder) == []


@pytest.mark.parametrize("resume", [True, False])
def test_what_is_left_is_removed_after_a_day_or_a_restart(
    folder: Path, resume: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = abandoned(folder, "left")
    source(folder, resume=resume)
    assert folders(folder) == [left]
    used = open_checkpoint(folder, "in use")
    old = left.stat().st_mtime - DAY - 1
    for path in folders(folder):
        os.utime(path, (old, old))
    source(folder, resume=resume)
    (path,) = folders(folder)
    assert path != left
    assert used is not None
    used.close()
    abandoned(folder, "left")
    monkeypatch.setattr(checkpoint, "_BOOT", folder / "boot")
    (folder / "boot").write_text("another\n")
    source(folder, resume=resume)
    assert folders(folder) == []


def test_a_folder_of_others_is_refused_and_not_touched(folder: Path) -> None:
    home = folder / f"eremite-{os.geteuid()}"
    (home / "old").mkdir(parents=True)
    os.utime(home / "old", (0, 0))
    for mode in (0o750, 0o705):
        home.chmod(mode)
        assert refused(lambda: source(folder)).startswith(f"Others can read or replace the folder {home};")
        source(folder, resume=False)
        assert folders(folder) == [home / "old"]
    home.chmod(0o700)
    elsewhere = folder / "elsewhere"
    home.rename(elsewhere)
    home.symlink_to(elsewhere)
    assert "Others can read or replace" in refused(lambda: source(folder))
    assert (elsewhere / "old").exists()


def test_systems_that_do_not_tell_their_starts_apart_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint, "_BOOT", folder / "none")
    assert refused(lambda: source(folder)) == "Questions can be resumed on Linux alone; remove resume from [engine]."
    source(folder, resume=False)


def test_what_cannot_be_kept_is_found_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = open_checkpoint(folder, "some")
    assert made is not None

    def fills_the_disk(_: object, file: Any, **__: object) -> None:
        file.write(b"half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as full:
        full.setattr(pickle, "dump", fills_the_disk)
        assert made.found(3, "question", lambda: 7) == 7
    assert list(made._path.iterdir()) == []
    assert made.found(3, "question", lambda: 8) == 8
    assert made.found(3, "question", lambda: 9) == 8
    assert made.found(4, "question", lambda: None) is None
    assert made.found(4, "question", lambda: 9) is None  # None was found
    for path in made._path.iterdir():
        path.write_bytes(path.read_bytes()[:-1])
    assert made.found(3, "question", lambda: 9) == 9
    made.close()


@pytest.mark.parametrize("lost", ["rows", "runs"])
def test_rows_without_their_places_are_cut_again(folder: Path, lost: str) -> None:
    expected = found_in(source(folder, resume=False).cut(CUTS))
    (killed(folder) / lost).unlink()
    assert found_in(source(folder).cut(CUTS)) == expected


def test_a_folder_that_is_half_removed_has_no_name_and_is_removed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiles = source(folder).cut(CUTS)
    with monkeypatch.context() as interrupted:
        interrupted.setattr(checkpoint.shutil, "rmtree", lambda *_, **__: None)
        tiles.close()
    (path,) = folders(folder)
    assert path.name.startswith("removed-")
    source(folder, resume=False)
    assert folders(folder) == []


def test_what_another_machine_left_stays_for_a_day(folder: Path) -> None:
    made = open_checkpoint(folder, "some")
    assert made is not None
    other = made._path.with_name(f"0123abcd-{made._path.name}")
    made._path.rename(other)
    source(folder)
    assert folders(folder) == [other]
    os.utime(other, (0, 0))
    made.close()
    source(folder)
    assert folders(folder) == []


@pytest.mark.parametrize("mode", [0o777, 0o770])
def test_a_scratch_folder_in_which_others_can_replace_folders_is_refused(folder: Path, mode: int) -> None:
    folder.chmod(mode)
    assert "Others can read or replace the folder" in refused(lambda: source(folder))
    source(folder, resume=False)
    folder.chmod(mode | stat.S_ISVTX)
    source(folder)


def test_a_folder_that_cannot_be_locked_is_refused_at_opening(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def cannot(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(checkpoint.fcntl, "flock", cannot)
    assert "cannot be used (No locks available)" in refused(lambda: source(folder))


def test_a_folder_that_was_just_removed_is_not_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = open_checkpoint(folder, "some")
    assert made is not None
    flock = checkpoint.fcntl.flock

    def removed_first(number: int, how: int) -> None:
        made.close()
        flock(number, how)

    monkeypatch.setattr(checkpoint.fcntl, "flock", removed_first)
    assert open_checkpoint(folder, "some") is None
    monkeypatch.undo()
    again = open_checkpoint(folder, "some")
    assert again is not None
    again.close()
    assert folders(folder) == []
