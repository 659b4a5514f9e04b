"""Scratch space keeps the numbers of each tile, has no name, and is gone with its process."""

import errno
import gc
import os
import resource
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from eremite.errors import TableError
from eremite.tiles.scratch import Run, Scratch
from tests.refusals import refused


def opened_in(folder: Path) -> list[int]:
    """The numbers of the files of a folder that this process has open, whether or not they have a name."""
    links = [link for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
    return [int(link.name) for link in links if str(link.readlink()).startswith(f"{folder}/")]


def test_tiles_keep_what_threads_write(tmp_path: Path) -> None:
    scratch = Scratch(50, tmp_path)

    def write(thread: int) -> None:
        run = Run(scratch, 300)
        for value in range(thread * 1000, (thread + 1) * 1000):
            tile = value % 7 * 8
            run.gather([(tile, np.full(2, float(value)))], 16)
        run.write()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    for tile in range(50):
        values = [] if tile % 8 else range(tile // 8, 4000, 7)
        assert sorted(scratch.read(tile).tolist()) == sorted([*values, *values])
        assert scratch.size(tile) == 16 * len(values)
    assert scratch.read(48)[::2].tolist() == scratch.read(48)[1::2].tolist()  # blocks stay in one piece
    scratch.close()


def test_short_writes_and_reads_lose_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pwrite, preadv = os.pwrite, os.preadv
    monkeypatch.setattr(os, "pwrite", lambda file, data, place: pwrite(file, data[:7], place))
    monkeypatch.setattr(os, "preadv", lambda file, data, place: preadv(file, [data[0][:5]], place))
    scratch = Scratch(2, tmp_path)
    for _ in range(2):
        scratch.write({0: [np.arange(3.0)], 1: [np.arange(9.0), np.array([])]})
    assert scratch.read(1).tolist() == [*range(9), *range(9)]
    scratch.close()


@pytest.mark.parametrize("unnamed", [True, False])
def test_the_file_has_no_name_and_is_gone_once_closed_or_forgotten(
    unnamed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not unnamed:
        monkeypatch.delattr(os, "O_TMPFILE")
    for way in ("close", "forget"):
        scratch = Scratch(1, tmp_path)
        scratch.write({0: [np.ones(5)]})
        (number,) = opened_in(tmp_path)
        file = os.fstat(number)
        assert list(tmp_path.iterdir()) == []
        assert file.st_nlink == 0
        assert file.st_mode & 0o777 == 0o600
        assert file.st_size == 40
        if way == "close":
            scratch.close()
            scratch.close()
            with pytest.raises(ValueError, match="closed"):
                scratch.read(0)
        del scratch
        gc.collect()
        assert opened_in(tmp_path) == []


_WRITER = """
import sys, numpy
from pathlib import Path
from eremite.tiles.scratch import Scratch
scratch = Scratch(1, Path(sys.argv[1]))
scratch.write({0: [numpy.ones(1 << 20)]})
print("written", flush=True)
sys.stdin.read()
"""


def test_nothing_is_left_of_a_killed_process(tmp_path: Path) -> None:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", _WRITER, str(tmp_path)], **pipes) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"written\n"
        assert list(tmp_path.iterdir()) == []
        process.kill()
    assert process.returncode == -9
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_one_sentence(tmp_path: Path) -> None:
    scratch, limits = Scratch(1, tmp_path), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        sentence = refused(lambda: scratch.write({0: [np.ones(1000)]}))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert sentence == f"The scratch folder {tmp_path} is full; make room in it, or name another one."
    scratch.close()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_what_the_disk_refuses_is_for_the_custodian(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    scratch = Scratch(1, tmp_path)
    scratch.write({0: [np.ones(1)]})
    monkeypatch.setattr(os, "pwrite", fails)
    monkeypatch.setattr(os, "preadv", fails)
    for action in (lambda: scratch.write({0: [np.ones(1)]}), lambda: scratch.read(0)):
        with pytest.raises(TableError, match="scratch folder"):
            action()
    scratch.close()


def test_a_file_that_was_cut_short_is_not_read(tmp_path: Path) -> None:
    scratch = Scratch(1, tmp_path)
    scratch.write({0: [np.ones(4)]})
    (number,) = opened_in(tmp_path)
    os.truncate(number, 16)
    assert "cannot be used" in refused(lambda: scratch.read(0))
    scratch.close()


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    sentence = refused(lambda: Scratch(1, tmp_path / "none"))
    assert f"The scratch folder {tmp_path / 'none'} cannot be used (No such file or directory)" in sentence
