"""A compiled kernel that lies under the name of another is not taken for it."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit

from eremite.engines.pair import kernel

pytestmark = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")

ROW = np.arange(10.0)
HALF = ROW[::2]  # of another type: its numbers do not lie side by side


def total(values: Any) -> float:
    found = 0.0
    for i in range(len(values)):
        found += values[i]
    return found


@pytest.fixture
def mixed_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept for HALF is what was compiled for ROW, as when two processes write at the same time."""
    kept = []
    for values, place in ((ROW, "rows"), (HALF, "halves")):
        monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path / place))
        kernel(total)(values)
        [file] = (tmp_path / place).rglob("*.nbc")
        kept.append(file)
    kept[1].write_bytes(kept[0].read_bytes())


@pytest.mark.usefixtures("mixed_up")
def test_kernel_for_other_types_is_compiled_anew() -> None:
    assert [kernel(total)(values) for values in (HALF, ROW, HALF)] == [20, 45, 20]


@pytest.mark.usefixtures("mixed_up")
def test_numba_alone_runs_the_wrong_one() -> None:
    """So the test above can fail; once it does not, what it tests is of no use any more."""
    alone: Callable[[Any], float] = njit(cache=True, nogil=True, error_model="numpy")(total)
    assert alone(HALF) != 20


def test_kernel_that_was_kept_is_not_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))
    first, second = kernel(total), kernel(total)
    assert first(ROW) == second(ROW) == 45
    assert [sum(each.stats.cache_hits.values()) for each in (first, second)] == [0, 1]
