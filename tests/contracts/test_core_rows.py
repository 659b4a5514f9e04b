"""The contract of core rows: counts from both sides of rows in tiles are those of rows in memory, bit for bit."""

import numpy as np
import pytest

from eremite import OutlierDefinition
from eremite.reach import capped_pair
from eremite.reach import slots as slots_module
from eremite.tiles import core
from eremite.tiles.boxes import Boxes
from tests.contracts.test_low_rows import TABLES, in_tiles
from tests.tiled import TilesHere

FINENESS = 64
QUESTIONS = ((0.02, 3, (1, 1)), (0.07, 2, (2, 3)), (0.15, 5, (4, 2)))
FEW_COLUMNS = [name for name, points in TABLES.items() if points.shape[1] <= 5]


def both_sides(rows, radius, k, reaches):
    return capped_pair(rows, OutlierDefinition(min_neighbors=k, radius=radius), reaches, None, FINENESS, about=1000)


def is_the_one_in_memory(points, **source):
    return all(both_sides(in_tiles(points, **source), *asked) == both_sides(points, *asked) for asked in QUESTIONS)


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


def test_copies_that_crowd_a_tile_are_all_counted():
    points = np.concatenate([np.full((9000, 2), 0.5), TABLES["uniform in 2 columns"]])
    assert is_the_one_in_memory(points, chunk_rows=1000)


def test_rows_of_light_places_stay_in_their_tiles():
    points = np.concatenate([np.random.default_rng(3).normal(0.5, 0.02, (5000, 2)), [[0.9, 0.9]] * 4])
    slots = slots_module.CoverSlots.of(2, 0.05 * 2**0.5, 3, 3, len(points))
    found = in_tiles(points, tile_bytes=10**9).core(0.05, 3, slots)
    assert found.rows == len(points)
    assert sorted(map(tuple, np.concatenate(found.points).tolist()))[-4:] == [(0.9, 0.9)] * 4
    assert sum(map(len, found.points)) < 500


def _light_above_a_third(self, sums):
    return sums > 3 * slots_module.weight_of(self.reach)


def _no_visits(self, points, squared):
    return {}


def _with_gaps_of_degrees(self, points, strata, degrees):
    return _sums(self, points, strata, degrees + self.min_neighbors)


def _sure_of_all(points, cell, squared):
    return np.ones(len(points), np.bool_)


_sums = slots_module.CoverSlots.sums


@pytest.mark.parametrize(
    ("room", "name", "mistake"),
    [
        (slots_module.CoverSlots, "heavy", _light_above_a_third),
        (slots_module.CoverSlots, "sums", _with_gaps_of_degrees),
        (Boxes, "touched_by", _no_visits),
        (core, "is_inside", _sure_of_all),
    ],
)
def test_the_contract_sees(monkeypatch, room, name, mistake):
    monkeypatch.setattr(room, name, mistake)
    names = ("clusters", "few values in 2 columns", "on the cuts", "uniform in 2 columns")
    assert not all(is_the_one_in_memory(TABLES[name]) for name in names)
