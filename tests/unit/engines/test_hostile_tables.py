"""Tables made to break the claims of `engines.proof.md`, in one to twelve columns; and mistakes that they must expose.

This file also runs with compilation off.
"""

from dataclasses import replace
from fractions import Fraction
from math import inf, nextafter, sqrt

import numpy as np
import pytest

from eremite.engines import cells, count_rows_near, tree
from eremite.engines.pair import squared_radius
from tests.definition import are_neighbors, degrees_by_definition
from tests.unit.engines.counting_methods import COMPILED, assert_all_agree, by_cells, by_tree

WIDTHS = range(1, 13) if COMPILED else (1, 2, 4, 5, 9)
CAPS = (0, 1, 7, None) if COMPILED else (1, None)


def total(x, y):
    found = 0.0
    for a, b in zip(x.tolist(), y.tolist(), strict=True):
        found += (a - b) * (a - b)
    return found


def radius_of(squared, d):
    """A radius of exactly this squared radius; None where no float has it."""
    near = sqrt(squared / d)
    return next((r for r in (near, nextafter(near, 0), nextafter(near, inf)) if squared_radius(r, d) == squared), None)


def exact_ties(d):
    """The squared radius is the rounded sum of a pair, then one radius less: the last bit of every step decides."""
    rng = np.random.default_rng(d)
    for number in range(12):
        points = rng.normal(size=(2 if number < 6 else 20, d))
        points[:, 8:] *= number % 2  # where these are zero, the sum is complete when it is first compared
        radius = radius_of(total(points[0], points[1]), d)
        if radius is not None:
            yield points, radius
            yield points, nextafter(radius, 0)


def subnormal_gaps(d):
    """Squares that vanish, squares that are rounded coarsely, and gaps that only a subnormal number can tell."""
    rng = np.random.default_rng(d)
    tiny = np.array([0.0, -0.0, 5e-324, -1e-310, 1e-162, 1.6e-162, 2.3e-162, 1e-154])
    yield rng.choice(tiny, (40, d)), 0.0
    length = 1e-140 * sqrt(d)
    yield rng.choice([0.0, length, 2 * length, nextafter(length, 0)], (40, d)) + rng.choice(tiny, (40, d)), 1e-140


def ends_of_the_range(d):
    rng = np.random.default_rng(d)
    ends = [1e150, -1e150, nextafter(1e150, 0), 0.0, 5e-324]
    for radius in (1e150, nextafter(1e150, 0), 1e-140, 0.0):
        yield rng.choice(ends, (40, d)), radius


def far_offsets(d):
    """So far out that neighboring floats are about a radius apart."""
    rng = np.random.default_rng(d)
    for far, radii in ((1e150, (1.0, 2.0, 1e-140)), (2.0**52, (1.0, 2.5)), (-1e9, (1.0, 1e-7, 1e-8))):
        step = float(np.spacing(far))
        for radius in radii:
            yield far - rng.integers(0, 4, (40, d)) * step, radius * (abs(step) if far == 1e150 and radius >= 1 else 1)


def cell_borders(d):
    """Rows on the borders of cells and pieces and a float beside them, near the origin and as far as cells reach."""
    rng = np.random.default_rng(d)
    for radius in (1.0, 1e-140, 7.3e149):
        width = sqrt(squared_radius(radius, d)) * (1 + 1e-6)
        places = rng.integers(0, 9, (30, d)) / 4
        places[:, -1] += rng.choice([0, 0, 2**20 - 1] if radius < 1e100 else [0], 30)
        points = places * width
        points = np.where(rng.random(points.shape) < 0.5, points, np.nextafter(points, rng.choice([-inf, inf])))
        yield np.clip(points, -1e150, 1e150), radius


def across_borders(d):
    """Neighbors nearly or exactly one radius apart, one of them just behind a border that the other is as far from."""
    for length in (1.0, 1.5):
        near = sqrt(length * length / d)
        radius = next(r for r in (near, nextafter(near, inf)) if squared_radius(r, d) >= length * length)
        width = sqrt(squared_radius(radius, d)) * (1 + 1e-6)
        border = np.random.default_rng(d).integers(2**20, 2**21, 15) * width
        steps = np.concatenate([border + step * np.spacing(border) for step in (-1, 0, 1, 2)])
        behind = np.append(steps, width * (1 + 2e-7))
        points = np.zeros((1 + 2 * len(behind), d))
        points[1:, -1] = np.concatenate([behind, behind - length])
        yield points, radius


def whole_steps(d):
    """Neighbors exactly one radius apart on both sides of a power of two, with a reciprocal that is rounded down a lot.

    A cell exactly as wide as the radius has the rows 2**j R and (2**j + 1) R in the cells 2**j - 1 and 2**j + 1.
    """
    short = (r for r in range(3, 999, 2) if Fraction(-11, 12) < (Fraction(1 / r) * r - 1) * 2**53 < Fraction(-7, 12))
    for length in list(short)[:3] if sqrt(d) == int(sqrt(d)) else []:
        points = np.zeros((9, d))
        points[1:, 0] = [k * length for j in (1, 5, 9, 15) for k in (2**j, 2**j + 1)]
        yield points, length / sqrt(d)


def crowds(d):
    """Equal rows, rows at opposite corners of pieces and cells, a row alone, and all rows equal."""
    rng = np.random.default_rng(d)
    yield np.repeat(rng.integers(0, 3, (10, d)) * 0.49 * sqrt(d), 7, axis=0), 1.0
    corners = np.array([[0.0] * d, [0.99 * sqrt(d)] * d, [50.0] * d])
    yield corners, 1.0
    yield np.repeat(corners, 20, axis=0), 1.0
    yield np.full((1, d), 1e150), 1e-140
    yield np.full((70, d), -1e150), 1e-140


def many_leaves(d):
    """Enough rows for boxes of several leaves, with as many pairs exactly at the radius as beyond it."""
    rng = np.random.default_rng(d)
    yield rng.integers(0, 3, (200 if COMPILED else 70, d)).astype(float), radius_of(float(d), d)


SHAPES = (
    exact_ties, subnormal_gaps, ends_of_the_range, far_offsets, cell_borders, across_borders, whole_steps, crowds,
    many_leaves,
)  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("d", WIDTHS)
@pytest.mark.parametrize("shape", SHAPES)
def test_methods_agree_with_the_definition_on(shape, d):
    for points, radius in shape(d):
        assert_all_agree(points, radius, caps=CAPS)


@pytest.mark.parametrize("d", WIDTHS)
@pytest.mark.parametrize("shape", SHAPES)
def test_rows_near_candidates_agree_with_the_definition_on(shape, d):
    """The candidates are no rows, so nothing near is sure to be found, and the blocked scan may give up."""
    for points, radius in shape(d):
        rows, candidates = points[1:40], points[:3]
        near = [sum(are_neighbors(c, p, radius) for p in rows.tolist()) for c in candidates.tolist()]
        for cap in (1, len(points)):
            assert count_rows_near(candidates, rows, radius, cap).tolist() == [min(found, cap) for found in near]


def fused(x, y):
    """What a fused multiply-add makes of the sum."""
    found = 0.0
    for a, b in zip(x, y, strict=True):
        found = float(Fraction(found) + Fraction(a - b) ** 2)
    return found


def from_the_last_column(x, y):
    return total(x[::-1], y[::-1])


@pytest.mark.parametrize("sum_of_squares", [fused, from_the_last_column])
def test_ties_tell_other_expressions_apart(sum_of_squares):
    """Or the tests above would not notice one in a kernel."""
    for d in (3, 9, 12):
        pairs = [(points, squared_radius(radius, d)) for points, radius in exact_ties(d)]
        assert any((total(p[0], p[1]) <= squared) != (sum_of_squares(p[0], p[1]) <= squared) for p, squared in pairs)


def without_a_margin(monkeypatch):
    monkeypatch.setattr(cells, "SLACK", 0.0)


def with_pieces_as_wide_as_cells(monkeypatch):
    monkeypatch.setattr(cells, "_PART_BITS", dict.fromkeys(cells._PART_BITS, 0))


def with_cells_that_wrap_around(monkeypatch):
    honest = cells._layout

    def tight(points, squared):
        layout = honest(points, squared)
        spans = np.ptp(points, axis=0) / layout.width
        return replace(layout, strides=np.cumprod([1, *(spans[:-1].astype(int) + 1)]).astype(np.int64))

    monkeypatch.setattr(cells, "_layout", tight)


def with_gaps_too_wide(monkeypatch):
    honest = cells._count_range

    def eager(grid, *rest):
        return honest(replace(grid, layout=replace(grid.layout, width=1.1 * grid.layout.width)), *rest)

    monkeypatch.setattr(cells, "_count_range", eager)


def with_boxes_a_float_too_small(monkeypatch):
    honest = tree._boxes

    def smaller(*arguments):
        low, high = honest(*arguments)
        return np.nextafter(low, inf), np.nextafter(high, -inf)

    monkeypatch.setattr(tree, "_boxes", smaller)


MISTAKES = [
    (without_a_margin, by_cells, whole_steps, 4),
    (with_pieces_as_wide_as_cells, by_cells, crowds, 2),
    (with_cells_that_wrap_around, by_cells, crowds, 2),
    (with_gaps_too_wide, by_cells, cell_borders, 3),
    (with_boxes_a_float_too_small, by_tree, exact_ties, 3),
]


@pytest.mark.parametrize(
    ("mistake", "method", "shape", "d"), MISTAKES, ids=lambda value: getattr(value, "__name__", "")
)
def test_hostile_tables_expose(monkeypatch, mistake, method, shape, d):
    """Each margin and each rounding that the proof speaks of is needed, and its loss is seen."""
    mistake(monkeypatch)
    wrong = 0
    for points, radius in shape(d):
        for cap in (1, len(points)):
            found = method(points, radius, cap, 1)
            wrong += found is not None and found.tolist() != degrees_by_definition(points, radius, cap)
    assert wrong > 0
