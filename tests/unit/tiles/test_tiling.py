"""A tile is decided by a row alone; tiles are balanced however the rows gather."""

import pickle

import numpy as np
import pytest

from eremite.table.rules import CellRules
from eremite.tiles.tiling import Tiling, tiling_of

RANDOM = np.random.default_rng(7)
TABLES = {
    "uniform": RANDOM.random((4000, 3)),
    "one cluster": np.clip(RANDOM.normal(0.5, 0.01, (4000, 3)), 0, 1),
    "few values": RANDOM.integers(0, 4, (4000, 3)) / 4,
    "one far row": np.concatenate([RANDOM.random((3999, 3)) * 1e-6, [[1.0, 1.0, 1.0]]]),
    "half equal": np.concatenate([np.full((2000, 3), 0.25), RANDOM.random((2000, 3))]),
}


def where(tiling: Tiling, row: np.ndarray) -> int:
    """The definition: right of a cut if the coordinate is at least its value."""
    node = 1
    while node < tiling.count:
        node = 2 * node + int(row[tiling.axes[node]] >= tiling.values[node])
    return node - tiling.count


@pytest.mark.parametrize("rows", TABLES.values(), ids=TABLES)
def test_a_row_goes_right_of_a_cut_if_it_is_at_least_its_value(rows: np.ndarray) -> None:
    tiling = tiling_of(rows[::4], 16, 0.05)
    assert tiling.place(rows).tolist() == [where(tiling, row) for row in rows]


@pytest.mark.parametrize("rows", [*TABLES.values(), np.empty((0, 3))], ids=[*TABLES, "none"])
def test_rows_are_sorted_by_tile_and_keep_their_order(rows: np.ndarray) -> None:
    tiling = tiling_of(rows[::4], 16, 0.05)
    found, edges = tiling.sort(rows)
    tiles = tiling.place(rows)
    assert found.tolist() == rows[np.argsort(tiles, kind="stable")].tolist()
    assert np.diff(edges).tolist() == np.bincount(tiles, minlength=16).tolist()
    assert edges[0] == 0


@pytest.mark.parametrize("rows", [TABLES["uniform"], TABLES["one cluster"], TABLES["one far row"]])
def test_tiles_have_about_as_many_rows_each(rows: np.ndarray) -> None:
    sizes = np.bincount(tiling_of(rows[::4], 16, 0.05).place(rows), minlength=16)
    assert sizes.min() > 0.6 * 250
    assert sizes.max() < 1.5 * 250


def test_a_point_that_fills_a_tile_keeps_some_copies_in_each_stratum() -> None:
    rows = TABLES["half equal"]
    tiling = tiling_of(rows, 16, 0.05)
    ((tile, point),) = tiling.crowded.items()
    assert point == (0.25, 0.25, 0.25)
    codes = np.repeat([5, 2**61, 5], [3, 4, 2]).astype(np.int64)
    here = np.column_stack([np.full((9, 3), 0.25), codes.view(np.float64)])
    here[0, 0] = 0.2  # not a copy
    kept = tiling.thinned(tile, here, 2)
    assert kept[:, :3].tolist() == [[0.2, 0.25, 0.25], *[[0.25] * 3] * 4]
    assert kept[:, 3].copy().view(np.int64).tolist() == [5, 5, 5, 2**61, 2**61]
    assert tiling.thinned(tile + 1, here, 2) is here


def test_equal_rows_and_no_rows_need_no_cut() -> None:
    for rows in (np.full((50, 2), 0.5), np.empty((0, 2))):
        tiling = tiling_of(rows, 4, 0.1)
        assert tiling.place(np.full((3, 2), 0.5)).tolist() == [0, 0, 0]


def test_rules_travel() -> None:
    rules = CellRules.of({"a": (0, 1)}, {"a": "leave-out"}, {"ward": ["A", "B"]}, ["NA"])
    assert pickle.loads(pickle.dumps(rules)) == rules  # noqa: S301
