"""Neighbors of visitors, held against the definition, ties and copies included. This file also runs uncompiled."""

import numpy as np
import pytest

from eremite.engines import visitors
from eremite.engines.pair import squared_radius
from tests.unit.engines.counting_methods import COMPILED
from tests.unit.engines.test_hostile_tables import SHAPES

WIDTHS = (1, 2, 3, 5, 9, 12) if COMPILED else (1, 3, 9)


def pairs_by_definition(points, guests, radius):
    """`are_neighbors` for all pairs at once: squares are added in column order."""
    total = np.zeros((len(guests), len(points)))
    with np.errstate(over="ignore"):
        for of_guest, of_point in zip(guests.T, points.T, strict=True):
            difference = of_guest[:, None] - of_point[None]
            total += difference * difference
    return list(zip(*(part.tolist() for part in np.nonzero(total <= radius * radius * points.shape[1])), strict=True))


def assert_definition(points, guests, radius, caps=(1, 3, 10**6)):
    wanted, squared = pairs_by_definition(points, guests, radius), squared_radius(radius, points.shape[1])
    found = visitors.list_visitors(points, guests, squared)
    assert sorted(zip(*(part.tolist() for part in found), strict=True)) == wanted
    numbers = np.bincount([guest for guest, _ in wanted], minlength=len(guests))
    for cap in caps:
        assert visitors.count_visitors(points, guests, squared, cap).tolist() == np.minimum(numbers, cap).tolist()


@pytest.fixture
def always_divided(monkeypatch):
    """Small tables are divided as large ones are. Uncompiled alone: kernels would be kept with these numbers."""
    if not COMPILED:
        monkeypatch.setattr(visitors, "_FEW_VISITORS", 1)
        monkeypatch.setattr(visitors, "_FEW_ROWS", 4)


@pytest.mark.usefixtures("always_divided")
@pytest.mark.parametrize("d", WIDTHS)
@pytest.mark.parametrize("shape", SHAPES)
def test_visitors_find_what_the_definition_calls_near_on(shape, d):
    for points, radius in shape(d):
        assert_definition(np.ascontiguousarray(points[: 300 if COMPILED else 40]), points[:20].copy(), radius)


def few_values(rng, n, d):
    return rng.integers(0, 4, (n, d)) / 4


def mostly_copies(rng, n, d):
    """The sample often sees copies of one row alone; the others are on one side of it or on both."""
    points = np.full((n, d), 0.5)
    places = rng.permutation(n)[: n // 20]
    points[places] = rng.choice([0.0, 0.25, 0.75, 1.0], (places.size, d)) if n % 2 else rng.random((places.size, d))
    return points


def one_line(rng, n, d):
    return np.repeat(rng.random((n, 1)), d, axis=1)


def powers(rng, n, d):
    """Halves are hard to find: nearly all rows are next to 0."""
    return 2.0 ** -rng.integers(0, 60, (n, d))


def anywhere(rng, n, d):
    return rng.random((n, d))


@pytest.mark.usefixtures("always_divided")
@pytest.mark.parametrize("made", [few_values, mostly_copies, one_line, powers, anywhere])
@pytest.mark.parametrize("d", [1, 2, 5, 10])
def test_visitors_find_what_the_definition_calls_near_among_many_rows(made, d):
    rng = np.random.default_rng(d)
    for n, few in ((0, 3), (1, 1), (63, 5), (200, 16), (201, 13), *([(3001, 40), (3000, 60)] if COMPILED else [])):
        points = made(rng, n, d)
        guests = np.vstack([points[: few // 2], made(rng, few, d)])
        for radius in (0.0, 0.1, 0.25, 2.0) if n < 3000 else (0.02, 0.25):
            assert_definition(points, guests, radius)


def test_visitors_come_in_turns(monkeypatch):
    rng = np.random.default_rng(1)
    points, guests = rng.random((100, 2)), rng.random((30, 2))
    for at_once in (1, 7, 30):
        monkeypatch.setattr(visitors, "_AT_ONCE", at_once)
        assert_definition(points, guests, 0.2)
    assert_definition(points, guests[:0], 0.2)


def test_rows_and_visitors_stay_as_they_are():
    rng = np.random.default_rng(1)
    points, guests = rng.random((500, 3)), rng.random((40, 3))
    before = points.copy(), guests.copy()
    visitors.count_visitors(points, guests, 0.01, 5)
    visitors.list_visitors(points, guests, 0.01)
    assert (points == before[0]).all()
    assert (guests == before[1]).all()


def test_parts_are_made_of_all_rows_of_the_part_they_come_from():
    rng = np.random.default_rng(2)
    points = rng.integers(0, 9, (500, 3)) / 8
    rows = visitors._undivided(points, 1)
    middle = visitors._divide(rows.columns[0], rows.order, 100, 500, points.min(0)[None], points.max(0)[None])
    assert 200 <= middle <= 400
    assert sorted(rows.order[100:].tolist()) == list(range(100, 500))
    visitors._move(rows, 0, 100, 500)
    assert (rows.columns[1, :, 100:] == points[rows.numbers[1, 100:]].T).all()
    sides = [(column[100:middle], column[middle:]) for column in rows.columns[1]]
    assert any(left.max() <= right.min() for left, right in sides)


def test_parts_are_about_halves_where_most_rows_are_equal():
    points = np.full((500, 2), 0.5)
    points[::100, 1] = 0.25
    points[1::100, 1] = 0.75
    rows = visitors._undivided(points, 1)
    middle = visitors._divide(rows.columns[0], rows.order, 0, 500, points.min(0)[None], points.max(0)[None])
    assert middle == 250


_keep_reaching, _fill_box, _divide, _move = (
    visitors._keep_reaching, visitors._fill_box, visitors._divide, visitors._move,
)  # fmt: skip


def _within_half_the_radius(low, high, guests, found, cap, squared, *rest):
    return _keep_reaching(low, high, guests, found, cap, squared / 4, *rest)


def _without_the_last_one(*arguments):
    return max(_keep_reaching(*arguments) - 1, 0)


def _boxes_a_float_too_small(columns, begin, stop, low, high):
    _fill_box(columns, begin, stop, low, high)
    low[:], high[:] = np.nextafter(low, np.inf), np.nextafter(high, -np.inf)


def _one_row_too_far(columns, order, begin, stop, low, high):
    middle = _divide(columns, order, begin, stop, low, high)
    order[begin] = order[stop - 1]
    return middle


def _without_numbers(rows, half, begin, stop):
    numbers = rows.numbers[1 - half].copy()
    _move(rows, half, begin, stop)
    rows.numbers[1 - half] = numbers


MISTAKES = {
    "_keep_reaching": [_within_half_the_radius, _without_the_last_one],
    "_fill_box": [_boxes_a_float_too_small],
    "_divide": [_one_row_too_far],
    "_move": [_without_numbers],
}


@pytest.mark.skipif(COMPILED, reason="compiled kernels keep the functions they were compiled with")
@pytest.mark.usefixtures("always_divided")
@pytest.mark.parametrize(("name", "mistake"), [(name, one) for name, all_ in MISTAKES.items() for one in all_])
def test_mistakes_are_seen(monkeypatch, name, mistake):
    monkeypatch.setattr(visitors, name, mistake)
    with pytest.raises(AssertionError):
        test_visitors_find_what_the_definition_calls_near_among_many_rows(few_values, 2)
