"""The contract of core rows: counts from both sides of rows in tiles are those of rows in memory, bit for bit."""

import numpy as np
import pytest

from eremite import OutlierDefinition, Table
from eremite.reach import capped_pair
from eremite.reach import slots as slots_module
from eremite.table.rules import CellRules
from eremite.tiles import core
from eremite.tiles.boxes import Boxes
from tests.contracts.test_low_rows import TABLES, in_tiles
from tests.tiled import TilesHere, tiled

FINENESS = 64
QUESTIONS = ((0.02, 3, (1, 1)), (0.07, 2, (2, 3)), (0.15, 5, (4, 2)))
FEW_COLUMNS = [name for name, points in TABLES.items() if points.shape[1] <= 5]


def both_sides(rows, radius, k, reaches):
    return capped_pair(rows, OutlierDefinition(min_neighbors=k, radius=radius), reaches, None, FINENESS, about=1000)


def is_the_one_in_memory(points, **source):
    return all(both_sides(in_tiles(points, **source), *asked) == both_sides(points, *asked) for asked in QUESTIONS)


@pytest.fixture(params=["blocks", "covers"])
def kind(request, monkeypatch):
    """Slots are cells where these are few, and those of covers elsewhere."""
    if request.param == "covers":
        monkeypatch.setattr(slots_module, "MOST_CELLS", 0)
    return request.param


@pytest.mark.usefixtures("kind")
@pytest.mark.parametrize("name", FEW_COLUMNS)
def test_counts_from_both_sides_in_tiles_are_those_in_memory(name):
    assert is_the_one_in_memory(TABLES[name])


@pytest.mark.parametrize("tile_bytes", [256, 4096, 10**9])
@pytest.mark.parametrize("chunk_rows", [7, 10**6])
def test_neither_tiles_nor_chunks_change_a_count(tile_bytes, chunk_rows):
    assert is_the_one_in_memory(TABLES["clusters"], tile_bytes=tile_bytes, chunk_rows=chunk_rows)


def test_turns_of_visitors_change_no_count(monkeypatch):
    monkeypatch.setattr(TilesHere, "most_sent", 100)
    assert is_the_one_in_memory(TABLES["clusters"])


@pytest.mark.usefixtures("kind")
def test_strata_and_groups_in_tiles_are_those_in_memory():
    rng = np.random.default_rng(4)
    columns = {name: rng.normal(0.5, 0.06, 600).clip(0, 1) for name in "ab"}
    values = {"ward": list("xyz"), "sex": ["f", "m"]}
    columns |= {name: rng.choice(some, 600).tolist() for name, some in values.items()}
    bounds = dict.fromkeys("ab", (0.0, 1.0))
    here = Table.from_frame(columns, bounds=bounds, categories=values)
    there = tiled(columns, CellRules.of(bounds, categories=values))
    definition = OutlierDefinition(min_neighbors=4, radius=0.04)
    pairs = [(here.part(list("ab"), ["ward"]), there.part(list("ab"), ["ward"]))]
    pairs += list(
        zip(here.groups(list("ab"), ["sex"], ["ward"]), there.groups(list("ab"), ["sex"], ["ward"]), strict=True)
    )
    for mine, theirs in pairs:
        counts = [
            capped_pair(one.points, definition, (2, 2), one.starts, FINENESS, about=600) for one in (mine, theirs)
        ]
        assert counts[0] == counts[1]


def test_copies_that_crowd_a_tile_are_all_counted():
    points = np.concatenate([np.full((9000, 2), 0.5), TABLES["uniform in 2 columns"]])
    assert is_the_one_in_memory(points, chunk_rows=1000)


@pytest.mark.usefixtures("kind")
def test_rows_of_light_places_stay_in_their_tiles():
    points = np.concatenate([np.random.default_rng(3).normal(0.5, 0.02, (5000, 2)), [[0.9, 0.9]] * 4])
    slots = slots_module.slots_for(2, 1, 0.05 * 2**0.5, 3, 3, len(points))
    found = in_tiles(points, tile_bytes=10**9).core(0.05, 3, slots)
    assert found.rows == len(points)
    assert sorted(map(tuple, np.concatenate(found.points).tolist()))[-4:] == [(0.9, 0.9)] * 4
    assert sum(map(len, found.points)) < 500


def _light_above_a_third(self, sums):
    return sums > 3 * slots_module.weight_of(self.reach)


def _cells_for_blocks(self, sums):
    return sums > slots_module.weight_of(self.reach)


def _no_visits(self, points, squared):
    return {}


def _with_gaps_of_degrees(degrees, min_neighbors):
    return _weights(degrees + min_neighbors, min_neighbors)


def _sure_of_all(points, cell, squared):
    return np.ones(len(points), np.bool_)


_weights = slots_module._weights


@pytest.mark.parametrize(
    ("most_cells", "room", "name", "mistake"),
    [
        (0, slots_module.CoverSlots, "heavy", _light_above_a_third),
        (10**6, slots_module.BlockSlots, "heavy", _cells_for_blocks),
        (0, slots_module, "_weights", _with_gaps_of_degrees),
        (10**6, slots_module, "_weights", _with_gaps_of_degrees),
        (10**6, Boxes, "touched_by", _no_visits),
        (10**6, core, "is_inside", _sure_of_all),
    ],
)
def test_the_contract_sees(monkeypatch, most_cells, room, name, mistake):
    monkeypatch.setattr(slots_module, "MOST_CELLS", most_cells)
    monkeypatch.setattr(room, name, mistake)
    names = ("clusters", "few values in 2 columns", "on the cuts", "uniform in 2 columns")
    assert not all(is_the_one_in_memory(TABLES[name], tile_bytes=size) for name in names for size in (1024, 64))
