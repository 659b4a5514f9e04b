"""What the compiler makes of the kernels that decide (claim E17 of `engines.proof.md`): nothing fused or reordered."""

import os
import platform
import re

import numpy as np
import pytest
from llvmlite.binding import get_host_cpu_features
from numba import njit, types

from eremite.engines import candidates, cells, line, near_in_sets, tree, visitors
from eremite.engines.pair import kernel, scan_many
from eremite.geometry import thinned

pytestmark = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")

REAL, WHOLE = types.float64, types.int64
ROW, TABLE, PLACES, NUMBERS = REAL[::1], REAL[:, ::1], WHOLE[::1], types.uint32
FEW, MANY = types.UniTuple(WHOLE, 3), types.Tuple(())


def of_the_tree(axes):
    return (
        TABLE, axes, WHOLE, WHOLE, PLACES, WHOLE, TABLE, TABLE, WHOLE, REAL, WHOLE, WHOLE, PLACES, ROW, ROW, ROW,
    )  # fmt: skip


DIVIDED = types.NamedTuple(
    (REAL[:, :, ::1], NUMBERS[:, ::1], NUMBERS[::1], NUMBERS[:, ::1], WHOLE[:, ::1], TABLE, TABLE), visitors._Rows
)

#: Each decides with the expression or in its stead; scan_few, scan_many and all that is inlined come with them.
DECIDING = {
    "blocks": (scan_many, (TABLE, ROW, WHOLE, WHOLE, REAL, ROW)),
    "line": (line._two_pointers, (ROW, types.uint32[::1], REAL, WHOLE, PLACES)),
    "cells": (
        cells._count,
        (TABLE, FEW, types.uint64[::1], WHOLE, PLACES, PLACES, PLACES, ROW, REAL, WHOLE[:, ::1], PLACES, REAL,
         WHOLE, WHOLE, WHOLE, PLACES),
    ),
    "line, lists": (line._list, (ROW, types.uint32[::1], REAL[:], PLACES, PLACES, REAL, types.uint32[::1])),
    "cells, lists": (
        cells._list,
        (TABLE, types.uint64[::1], WHOLE, PLACES, PLACES, PLACES, ROW, REAL, WHOLE, PLACES, REAL, TABLE, PLACES, PLACES,
         WHOLE, WHOLE, types.uint32[::1]),
    ),
    "tree, lists": (
        tree._list,
        (TABLE, types.uint32[::1], TABLE, TABLE, WHOLE, REAL, TABLE, PLACES, PLACES, WHOLE, WHOLE, types.uint32[::1]),
    ),
    "tree, boxes": (
        tree._collect,
        (TABLE, TABLE, WHOLE, WHOLE, WHOLE, REAL, WHOLE, PLACES, WHOLE, WHOLE, PLACES),
    ),
    "tree, few columns": (tree._scan_batch, of_the_tree(FEW)),
    "tree, many columns": (tree._scan_batch, of_the_tree(MANY)),
    "candidates, few columns": (candidates._count_few, (TABLE, FEW, TABLE, WHOLE, WHOLE, REAL, WHOLE, PLACES)),
    "candidates, many columns": (candidates._count_many, (TABLE, TABLE, WHOLE, WHOLE, REAL, WHOLE, PLACES)),
    "candidates, sets of columns": (
        near_in_sets._count,
        (TABLE, ROW, PLACES, PLACES, ROW, WHOLE, WHOLE, PLACES),
    ),
    "visitors": (visitors._count, (DIVIDED, TABLE, REAL, WHOLE, PLACES)),
    "visitors, lists": (visitors._list, (DIVIDED, TABLE, REAL)),
    "edges of a graph": (thinned._near_edges, (PLACES, types.int32[::1], TABLE, REAL)),
}  # fmt: skip

#: Each of these words lets LLVM change a result, if only of NaN or a zero's sign.
FREED = re.compile(r"= (?:tail )?(?:call|select|phi|f[a-z]+) ((?:(?:fast|reassoc|contract|nnan|ninf|nsz|arcp|afn) )+)")
MACHINE = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
FUSED = {"x86_64": r"\bvfn?m(?:add|sub)\w+", "aarch64": r"\bfn?m(?:add|sub|la|ls|ad|sb)\b"}
MULTIPLIED = {"x86_64": r"\bv?mul[ps]d\b", "aarch64": r"\bfmul\b"}
UNKNOWN = f"which instructions of {MACHINE} are fused is not known to this test."


@pytest.fixture(autouse=True)
def kept_nowhere(tmp_path, monkeypatch):
    """What comes from the disk has no text to look at."""
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))


def compiled(name):
    dispatcher, signature = DECIDING[name]
    anew = kernel(dispatcher.py_func)
    anew.compile(signature)
    return anew


def optimized(function):
    """What machine code is made from."""
    [text] = function.inspect_llvm().values()
    return text


def assembled(function):
    [text] = function.inspect_asm().values()
    return text


def liberties(text):
    """Flags that free the compiler, fused operations, and sums in an order of its own."""
    return FREED.findall(text) + re.findall(r"@llvm\.(?:fma|fmuladd|vector\.reduce\.fadd)", text)


@pytest.mark.long
@pytest.mark.parametrize("name", DECIDING)
def test_nothing_is_fused_or_reordered_in_kernels_that_decide(name):
    function = compiled(name)
    assert "= fmul " in optimized(function)
    assert liberties(optimized(function)) == []
    if MACHINE not in FUSED:
        pytest.skip(f"Optimized code holds nothing fused; {UNKNOWN}")
    assert re.search(MULTIPLIED[MACHINE], assembled(function))
    assert re.findall(FUSED[MACHINE], assembled(function)) == []


def total(values):
    found = 0.0
    for value in values:
        found += value * value
    return found


def freed(liberty):
    """A kernel compiled with a liberty, so that the tests above are seen to notice it."""
    function = njit(fastmath={liberty})(total)
    function(np.ones(3))
    return function


@pytest.mark.parametrize("liberty", ["fast", "reassoc", "contract"])
def test_liberty_is_seen(liberty):
    assert f"{liberty} " in liberties(optimized(freed(liberty)))


@pytest.mark.skipif(MACHINE not in FUSED, reason=UNKNOWN)
@pytest.mark.skipif(
    MACHINE == "x86_64" and not get_host_cpu_features().get("fma"), reason="this processor has no fused instruction"
)
def test_fused_instruction_is_seen():
    assert re.search(FUSED[MACHINE], assembled(freed("contract")))
