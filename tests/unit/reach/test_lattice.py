"""Which covers hold a row, against all lattice points of a box; and that every ball lies in one of them."""

import itertools

import numpy as np
import pytest
from scipy.optimize import nnls

from eremite.reach.covers import FURTHEST, ratio_for
from eremite.reach.lattice import (
    Lattice,
    _name,
    _squared_distance_to_cell,
    cover_names,
    covering_radius,
    covers_of_a_row,
    period_of,
    ratio_of_covers,
)
from tests.attacks.reach_by_definition import covers_by_definition, distances_to_cell, embedded
from tests.attacks.reach_tables import at_place, nudged, vertex_of_a_cell


def names_of(row, lattice, room=20_000):
    names = np.empty(room, np.uint64)
    found = cover_names(np.asarray(row, dtype=float), *lattice.size, names)
    assert found <= room
    return set(names[:found].tolist())


def named(points):
    return {int(_name(np.array(z, np.int64), sum(z), period_of(len(z) - 1))) for z in points}


def lattice_of(d, radius, ratio=None):
    return Lattice.of(d, (ratio or ratio_for(d, 1)) * radius, radius)


def kernel_distance(w):
    n = len(w)
    return np.sqrt(_squared_distance_to_cell(w, np.empty(n), np.empty(n), np.empty(n, np.int64)))


def distance_by_vertices(w):
    """To the convex hull of the permutations of the vertex, by least squares."""
    n = len(w)
    vertices = np.array(list(itertools.permutations(vertex_of_a_cell(n - 1)))).T
    heavy = 1e4 * np.ones(vertices.shape[1])  # weights that add up to 1
    weights, _ = nnls(np.vstack([vertices, heavy]), np.append(w, 1e4))
    return np.linalg.norm(w - vertices @ weights / weights.sum())


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_distance_to_a_cell_is_that_of_two_other_ways(d):
    rng = np.random.default_rng(d)
    vertex = vertex_of_a_cell(d)
    some = [rng.normal(0, size, d + 1) for size in (0.1, 0.5, 2.0) for _ in range(4)]
    for w in (*some, vertex, 2 * vertex, vertex[::-1] * 1.5, np.zeros(d + 1), np.append(np.ones(d), -d)):
        centered = w - w.mean()
        assert kernel_distance(centered) == pytest.approx(distances_to_cell(centered[None])[0], abs=1e-12)
        assert kernel_distance(centered) == pytest.approx(distance_by_vertices(centered), abs=1e-6)


@pytest.mark.parametrize("d", range(1, 12))
def test_a_vertex_is_as_far_from_the_middle_as_the_covering_radius_says(d):
    vertex = vertex_of_a_cell(d)
    assert np.linalg.norm(vertex) == pytest.approx(covering_radius(d))
    assert kernel_distance(vertex) == pytest.approx(0, abs=1e-12)
    assert kernel_distance(2 * vertex) == pytest.approx(covering_radius(d))


CASES = [(1, 0.05), (1, 1.0), (2, 0.3), (2, 1.0), (3, 0.5), (3, 1.5), (4, 2.0)]
FINE = [(2, 0.1), (3, 0.1), (4, 0.75)]


@pytest.mark.parametrize(("d", "ratio"), [*CASES, *(pytest.param(*case, marks=pytest.mark.slow) for case in FINE)])
def test_cover_names_are_those_of_all_lattice_points_near_enough(d, ratio):
    rng = np.random.default_rng(3)
    lattice = lattice_of(d, 0.7, ratio)
    rows = [np.zeros(d), *rng.uniform(-5, 5, (4, d)), rng.uniform(-1e6, 1e6, d)]
    rows += exact_ties(d, lattice)
    for row in rows:
        assert names_of(row, lattice) == named(covers_by_definition(row, lattice.unit, lattice.grown))


def exact_ties(d, lattice):
    """Rows at a distance of exactly R from cells: beyond a vertex, and beyond the middle of a face."""
    vertex = vertex_of_a_cell(d)
    face = np.append(np.full(d, 1 / (d + 1)), -d / (d + 1))  # half of a shortest vector of the lattice, and beyond
    beyond = [
        vertex * (1 + lattice.grown / np.linalg.norm(vertex)),
        face * (0.5 + lattice.grown / np.linalg.norm(face)),
    ]
    shift = np.arange(d + 1) ** 2 - np.mean(np.arange(d + 1) ** 2)
    return [at_place(w + some, lattice.unit) for w in beyond for some in (0, shift)]


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_rows_at_a_distance_of_exactly_r_from_a_cell_are_in_its_cover(d):
    lattice = lattice_of(d, 0.7)
    zero, shift = named([(0,) * (d + 1)]), np.arange(d + 1) ** 2
    name_of_shift = named([tuple((shift + turn).tolist()) for turn in range(-d * d, 1) if 0 <= sum(shift + turn) <= d])
    for row, name in zip(exact_ties(d, lattice), [zero, name_of_shift] * 2, strict=True):
        assert name <= names_of(row, lattice)
        assert not name <= names_of(row, lattice_of(d, 0.7 * (1 - 1e-6), ratio_for(d, 1) / (1 - 1e-6)))


@pytest.mark.parametrize("d", range(1, 9))
def test_covers_of_a_row_are_about_as_many_or_more(d):
    lattice, rng = lattice_of(d, 1.0), np.random.default_rng(5)
    names = np.empty(1, np.uint64)
    found = [cover_names(row, *lattice.size, names) for row in rng.uniform(-50, 50, (40, d))]
    assert 0.25 * covers_of_a_row(d, ratio_for(d, 1)) <= np.mean(found) <= 1.1 * covers_of_a_row(d, ratio_for(d, 1))


@pytest.mark.parametrize("d", range(1, 13))
def test_ratio_of_covers_is_the_one_that_has_as_many(d):
    for ratio in (0.05, 0.7, 3.0):
        assert np.isclose(ratio_of_covers(d, covers_of_a_row(d, ratio)), ratio)
    assert ratio_of_covers(d, 0.5) is None


def test_covers_that_do_not_fit_are_counted():
    lattice, row = lattice_of(2, 1.0), np.array([0.3, 0.4])
    names = np.empty(3, np.uint64)
    everyone = names_of(row, lattice)
    assert cover_names(row, *lattice.size, names) == len(everyone)
    assert set(names.tolist()) <= everyone


def test_lattice_points_are_named_apart():
    points = {z for z in itertools.product(range(-6, 7), repeat=4) if 0 <= sum(z) <= 3}
    assert len(named(points)) == len(points)


def hard_centers(d, lattice, further, rng):
    """Anywhere, in the middle of a cell, on a side, at a vertex, in the middle of an edge; up to so far out."""
    z = rng.integers(-20, 20, d + 1) + np.rint(further / lattice.unit / np.sqrt(d + 1) * rng.uniform(-1, 1, d + 1))
    vertex = rng.permutation(vertex_of_a_cell(d))
    swapped = vertex.copy()
    i, j = np.argsort(vertex)[:2]
    swapped[[i, j]] = vertex[[j, i]]
    for w in (np.zeros(d + 1), to_next_cells(d)[0] / 2, vertex, (vertex + swapped) / 2):
        yield at_place(z - z.mean() + w, lattice.unit)
    yield (5 + further) * rng.uniform(-1, 1, d)


def to_next_cells(d):
    """The shortest vectors of the lattice, but for their signs."""
    return np.eye(d + 1) - 1 / (d + 1)


def rows_near(center, radius, rng, many):
    """Rows as far from the center as the degree predicate calls near."""
    d = len(center)
    across = [sign * at_place(one, 1) for one in to_next_cells(d) for sign in (1, -1)]
    vertices = [at_place(np.roll(vertex_of_a_cell(d), i), 1) for i in range(d + 1)]
    return nudged(center, [*rng.normal(size=(many, d)), *across, *vertices], radius)


def balls_in_no_cover(d, further, times, many, grown=1.0, roundings=1):
    """Balls of which no cell around the center, grown by R, holds all rows; `grown` and `roundings` are for mutants."""
    radius, rng = 0.7, np.random.default_rng(d)
    lattice = lattice_of(d, radius)
    covers = Lattice(d, lattice.unit, grown * lattice.grown, roundings)
    for _ in range(times):
        for center in hard_centers(d, lattice, further * radius, rng):
            common = names_of(center, Lattice(d, lattice.unit, 0.0))
            for row in rows_near(center, radius, rng, many):
                common &= names_of(row, covers)
            if not common:
                yield center


@pytest.mark.parametrize("further", [0.0, 1e8, 0.9 * FURTHEST])
@pytest.mark.parametrize("d", [*range(1, 11), pytest.param(16, marks=pytest.mark.slow), 24])
def test_every_ball_is_in_one_cover(d, further):
    assert not list(balls_in_no_cover(d, further, times=1, many=3 if d < 6 else 1))


@pytest.mark.slow
@pytest.mark.parametrize("further", [0.0, 1e8, 0.9 * FURTHEST])
@pytest.mark.parametrize("d", range(1, 6))
def test_every_ball_is_in_one_cover_again_and_again(d, further):
    assert not list(balls_in_no_cover(d, further, times=100, many=12))


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize(
    ("further", "grown", "roundings"),
    [(0.0, 1 - 3e-9, 0), (1e8, 1 - 1e-3, 1), (1e8, 1.0, 0)],
    ids=["inward", "inward far out", "outward by a share of R alone"],
)
def test_balls_in_no_cover_are_found_if_membership_is_rounded_otherwise(d, further, grown, roundings):
    """1e8 times R from the origin, a relative tolerance is not enough (claim C2)."""
    assert list(balls_in_no_cover(d, further, times=200, many=0, grown=grown, roundings=roundings))


def test_places_are_as_far_apart_as_rows():
    rng = np.random.default_rng(2)
    for d in (1, 2, 5):
        x, y = rng.normal(size=(2, d))
        assert np.linalg.norm(embedded(x, 0.5) - embedded(y, 0.5)) == pytest.approx(2 * np.linalg.norm(x - y))
        assert embedded(x, 0.5).sum() == pytest.approx(0)


def room(rows):
    """For slots that nobody remembers."""
    return np.empty(0, np.int32), np.zeros(rows, np.int64)


def test_names_of_a_row_do_not_depend_on_other_rows():
    """`weigh` of many rows is the sum of `weigh` of each."""
    from eremite.reach.lattice import weigh

    rng, lattice = np.random.default_rng(6), lattice_of(3, 0.2)
    points, names = rng.random((30, 3)) * [1, 1e3, 1e6], np.empty(5_000, np.uint64)
    salts, weights = np.zeros(30, np.uint64), np.ones(30, np.int32)
    together, alone = np.zeros((2, 1 << 14), np.int32)
    weigh(points, salts, weights, *lattice.size, names, together, *room(len(points)))
    for i in range(30):
        weigh(points[i : i + 1], salts[:1], weights[:1], *lattice.size, names, alone, *room(1))
    assert (together == alone).all()
