"""The contract of low rows: in tiles they are the same rows, with the same degrees and crowds, as in memory."""

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from eremite.engines import low_rows
from eremite.geometry.around import Around
from eremite.table.rules import CellRules
from eremite.tiles import counting, names
from eremite.tiles import low as low_module
from eremite.tiles.boxes import Boxes
from eremite.tiles.tiling import Tiling
from tests.definition import are_neighbors
from tests.tiled import TilesHere, tiled

RANDOM = np.random.default_rng(5)


def clusters(n, d):
    return np.clip(RANDOM.normal(RANDOM.random((5, d))[RANDOM.integers(0, 5, n)], 0.05), 0, 1)


TABLES = {
    **{f"uniform in {d} columns": RANDOM.random((600, d)) for d in range(1, 11)},
    **{f"few values in {d} columns": RANDOM.integers(0, 5, (600, d)) / 4 for d in (1, 2, 3, 5)},
    "clusters": clusters(800, 3),
    "half equal": np.concatenate([np.full((400, 3), 0.5), RANDOM.random((400, 3))]),
    "all equal": np.full((500, 3), 0.25),
    "one far row": np.concatenate([RANDOM.random((499, 2)) * 1e-3, [[1.0, 1.0]]]),
    "most in one tile": np.concatenate([RANDOM.random((700, 2)) * 0.01, RANDOM.random((100, 2))]),
    "on the cuts": np.round(RANDOM.random((600, 3)) * 8) / 8,
    "one row": np.array([[0.3, 0.4]]),
    "no row": np.empty((0, 2)),
}


def in_tiles(points, **source):
    names = [f"c{i}" for i in range(points.shape[1])]
    rules = CellRules.of(dict.fromkeys(names, (0.0, 1.0)))
    return tiled(dict(zip(names, points.T, strict=True)), rules, **source).part()


def sorted_rows(low):
    order = np.lexsort((*low.points.T[::-1],))
    return low.points[order].tolist(), low.degrees[order].tolist()


def crowds(low, high):
    """The crowds of the window of all rows with degrees up to `high`, as the points in them."""
    window = np.flatnonzero(low.degrees <= high)
    around = Around(low)
    found = {tuple(sorted(map(tuple, low.points[crowd].tolist()))) for crowd in around.crowds(window, 0)}
    return around.most(window), found


SLOW = [f"uniform in {d} columns" for d in (4, 6, 7, 8, 9)]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in TABLES]
)
def test_low_rows_in_tiles_are_those_in_memory(name):
    points = TABLES[name]
    for radius, k, cap in ((0.01, 3, 8), (0.07, 1, 1), (0.07, 5, 60), (0.2, 3, 8)):
        here, there = low_rows(points, radius, k, cap), in_tiles(points).low(radius, k, cap)
        if not there:
            assert here.degrees.size == 0
            continue
        (there,) = there
        assert there.outliers == here.outliers
        assert sorted_rows(there) == sorted_rows(here)
        for high in sorted({0, k, cap - 1}):
            assert crowds(there, high) == crowds(here, high)


def test_lists_name_what_the_definition_calls_near():
    points = np.round(RANDOM.random((300, 2)) * 12) / 12
    (low,) = in_tiles(points).low(0.1, 3, 40)
    lists = low.lists(np.arange(low.degrees.size))
    for row, begin, length in zip(low.points, lists.begins, lists.lengths, strict=True):
        near = {tuple(q) for q in points if are_neighbors(row, q, 0.1)}
        copies = np.count_nonzero((points == row).all(axis=1))
        assert len(set(lists.members[begin : begin + length].tolist())) == length
        assert length in {len(near) - 1} | ({len(near)} if copies > 1 else set())


def test_a_copied_point_that_crowds_a_tile_is_thinned_to_more_than_the_cap():
    points = np.concatenate([np.full((9000, 2), 0.5), RANDOM.random((300, 2))])
    part = in_tiles(points, chunk_rows=1000)
    for cap in (10, 5000):  # the second one needs more copies than were kept for the first
        (there,) = part.low(0.05, 5, cap)
        assert sorted_rows(there) == sorted_rows(low_rows(points, 0.05, 5, cap))


@pytest.mark.parametrize("tile_bytes", [256, 4096, 10**9])
@pytest.mark.parametrize("chunk_rows", [7, 10**6])
def test_neither_tiles_nor_chunks_change_an_answer(tile_bytes, chunk_rows):
    points = TABLES["clusters"]
    (there,) = in_tiles(points, tile_bytes=tile_bytes, chunk_rows=chunk_rows).low(0.05, 4, 20)
    here = low_rows(points, 0.05, 4, 20)
    assert sorted_rows(there) == sorted_rows(here)
    assert crowds(there, 19) == crowds(here, 19)


@pytest.mark.parametrize("most_sent", [100, 1000])
def test_turns_of_visitors_change_no_answer(monkeypatch, most_sent):
    monkeypatch.setattr(TilesHere, "most_sent", most_sent)
    points = TABLES["clusters"]
    (there,) = in_tiles(points).low(0.05, 4, 20)
    here = low_rows(points, 0.05, 4, 20)
    assert sorted_rows(there) == sorted_rows(here)
    assert crowds(there, 19) == crowds(here, 19)


RADII = (1e-9, 0.001, 0.01, 0.03, 0.0625, 0.1, 0.125, 0.25, 0.5)  # some as far as values on the cuts are apart


def are_those_in_memory(points):
    return in_tiles(points).with_fewer(4, RADII) == [low_rows(points, radius, 4, 4).outliers for radius in RADII]


@pytest.mark.parametrize("name", TABLES)
def test_counts_at_several_radii_are_those_in_memory(name):
    assert are_those_in_memory(TABLES[name])


def test_counts_at_small_radii_leave_most_rows_in_their_tiles(monkeypatch):
    met = []
    monkeypatch.setattr(low_module._View, "low_numbers", lambda home, cap: met.append(len(home.rows)) or Counter())
    in_tiles(TABLES["uniform in 2 columns"]).with_fewer(4, (0.002,))
    assert met[0] < 60  # of 600, all of which are outliers


def _is_half_as_far_inside(points, cell, squared):
    return is_inside(points, cell, squared / 4)


def _is_inside_in_the_first_column(points, cell, squared):
    return is_inside(points, tuple(ends[:1] for ends in cell), squared)


@pytest.mark.parametrize("mistake", [_is_half_as_far_inside, _is_inside_in_the_first_column])
def test_the_contract_sees_rows_that_should_have_visited(monkeypatch, mistake):
    monkeypatch.setattr(counting, "is_inside", mistake)
    assert not all(are_those_in_memory(TABLES[name]) for name in ("clusters", "uniform in 2 columns", "on the cuts"))


def _no_visits(self, squared):
    return {}


def _half_as_far(touching):
    return lambda self, squared: touching(self, squared / 4)


def _boxes_of_first_children(tiles, found, d):
    boxes = Boxes.of(tiles, found, d)
    for node in range(len(tiles) - 1, 0, -1):
        boxes.lows[node], boxes.highs[node] = boxes.lows[2 * node], boxes.highs[2 * node]
    return boxes


def _counts_itself(self, begin, places):
    lists = _named(self, begin, places)
    return lists._replace(lengths=lists.lengths + self._is_first[begin + places])


def _no_copies(self, begin, places):
    lists = _named(self, begin, places)
    return lists._replace(lengths=lists.lengths - ~self._is_first[begin + places])


def _half_as_many_copies(self, tile, rows, most_copies):
    return _thinned(self, tile, rows, 125)  # half of the cap


_thinned, _named, is_inside = Tiling.thinned, low_module.LowTable._named, counting.is_inside
MISTAKES = {
    "rows do not visit other tiles": (low_module._View, "touching", _no_visits),
    "rows visit half as far": (low_module._View, "touching", _half_as_far(low_module._View.touching)),
    "a box lacks a child": (low_module, "Boxes", SimpleNamespace(of=_boxes_of_first_children)),
    "a row is around itself": (low_module.LowTable, "_named", _counts_itself),
    "copies are not around each other": (low_module.LowTable, "_named", _no_copies),
    "the grid of visitors is narrower than the radius": (counting, "SLACK", -0.8),
    "too few copies of a crowding point are kept": (Tiling, "thinned", _half_as_many_copies),
}


TELLING = ("few values in 2 columns", "half equal", "clusters")


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_the_contract_sees_mistakes(monkeypatch, mistake):
    monkeypatch.setattr(*mistake)
    assert any(is_wrong(TABLES[name]) for name in TELLING)


def test_the_contract_sees_no_mistake_where_there_is_none():
    assert not any(is_wrong(TABLES[name]) for name in TELLING)


def is_wrong(points):
    here = low_rows(points, 0.2, 5, 250)
    (there,) = in_tiles(points, chunk_rows=10**6).low(0.2, 5, 250)
    return sorted_rows(there) != sorted_rows(here) or crowds(there, 249) != crowds(here, 249)


@pytest.mark.parametrize("name", [name for name in TABLES if name not in SLOW])
def test_rows_that_nobody_asks_for_change_no_answer(monkeypatch, name):
    """Rows are put aside at every radius, and nowhere (claim T8)."""
    for radius, k, cap in ((0.07, 5, 60), (0.2, 3, 8)):
        found = []
        for narrow in (np.inf, -1):
            monkeypatch.setattr(low_module, "_NARROW", narrow)
            low = in_tiles(TABLES[name], tile_bytes=512).low(radius, k, cap)
            found.append([(one.outliers, sorted_rows(one), crowds(one, cap - 1)) for one in low])
        assert found[0] == found[1]


@pytest.mark.parametrize("most_given", [0, 10**9])
def test_rows_that_nobody_asks_for_change_no_answer_in_strata_and_several_sets(monkeypatch, most_given):
    monkeypatch.setattr(low_module, "_MOST_GIVEN", most_given)
    points, wards = TABLES["uniform in 3 columns"], RANDOM.integers(0, 3, 600)
    columns = {**dict(zip("abc", points.T, strict=True)), "ward": wards}
    rules = CellRules.of(dict.fromkeys("abc", (0.0, 1.0)), categories={"ward": [0, 1, 2]})
    sets = [("a", "b"), ("b", "c"), ("c", "a")]
    for chosen, part in zip(sets, tiled(columns, rules).parts(sets, ["ward"]), strict=True):
        for ward, there in enumerate(part.low(0.02, 2, 5)):
            rows = np.column_stack([columns[name][wards == ward] for name in chosen])
            here = low_rows(rows, 0.02, 2, 5)
            assert sorted_rows(there) == sorted_rows(here)
            assert crowds(there, 4) == crowds(here, 4)


def test_few_rows_are_kept_at_small_radii(monkeypatch):
    sizes, narrowed = [], TilesHere.narrowed

    def watched(*given):
        found, tiles = narrowed(*given)
        sizes.append(sum(rows.size // 2 for parts in tiles.rows.values() for rows in parts))
        return found, tiles

    monkeypatch.setattr(TilesHere, "narrowed", watched)
    in_tiles(TABLES["most in one tile"]).low(0.002, 3, 8)
    assert 100 <= sizes[0] < 300  # of 800, 700 of which are crowded


def _keeps_none_near_its_own(self, rows, given):
    return _count_and_keep(self, rows, (given[0], given[1][:0]))


def _keeps_none_near_visitors(self, rows, given):
    found, _ = _count_and_keep(self, rows, given)
    _, kept = _count_and_keep(self, rows, (given[0].at(np.zeros(len(given[0]), bool)), given[1]))
    return found, kept


def _counts_its_own_too(self, squared):
    return {n: (np.concatenate(both), both[1]) for n, both in _touching(self, squared).items()}


_count_and_keep, _touching = counting.CountVisitorsAndKeep.__call__, low_module._View.touching
MISTAKES_IN_KEEPING = {
    "rows near those of the tile are put aside": (counting.CountVisitorsAndKeep, "__call__", _keeps_none_near_its_own),
    "rows near visitors are put aside": (counting.CountVisitorsAndKeep, "__call__", _keeps_none_near_visitors),
    "rows of the tile visit it": (low_module._View, "touching", _counts_its_own_too),
    "the grid is narrower than the radius": (counting, "SLACK", -0.8),
}


def lists_are_wrong(points):
    """Whether degrees, or the lists of rows around low rows, are not those of a table without copies."""
    (there,) = in_tiles(points, tile_bytes=512).low(0.04, 5, 12)
    lists = there.lists(np.arange(there.degrees.size))
    same = sorted_rows(there) == sorted_rows(low_rows(points, 0.04, 5, 12))
    return not same or not (lists.lengths == there.degrees).all()


@pytest.mark.parametrize("mistake", MISTAKES_IN_KEEPING.values(), ids=MISTAKES_IN_KEEPING)
def test_the_contract_sees_mistakes_in_keeping(monkeypatch, mistake):
    monkeypatch.setattr(low_module, "_NARROW", np.inf)
    telling = [TABLES[name] for name in ("clusters", "most in one tile", "uniform in 2 columns")]
    assert not any(map(lists_are_wrong, telling))
    monkeypatch.setattr(*mistake)
    assert any(map(lists_are_wrong, telling))


def test_rows_whose_keys_are_equal_have_names_of_their_own(monkeypatch):
    """Keys of seven bits: rows meet, and get other keys. Were they not compared in full, they would share names."""
    points, keys = TABLES["few values in 2 columns"], names._keys
    monkeypatch.setattr(names, "_keys", lambda rows, salt: keys(rows, salt) >> np.uint64(57))
    assert not is_wrong(points)
    monkeypatch.setattr(names, "_are_equal", lambda some, others: True)
    assert is_wrong(points)
