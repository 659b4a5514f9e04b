"""Depth, truss and core against their definitions, and against each other."""

import os
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eremite import InputError
from eremite.geometry import core_bound, densest_ball, truss_bound
from eremite.geometry.core import peeled
from eremite.geometry.densest import depth_of_graph
from eremite.geometry.graph import near_graph, outward_square
from eremite.geometry.sweep import planar_depth
from eremite.geometry.truss import fits, truss_of_graph
from tests.definition import core_by_definition, depth_by_definition, truss_by_definition

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") != "1"
RADII = (0.5, np.sqrt(2) / 2, np.sqrt(3) / 2, 1.0, 1.2, np.sqrt(2), 0.01)
BOUNDS = (densest_ball, truss_bound, core_bound)


@st.composite
def small_sets(draw):
    d = draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(st.integers(0, 3), min_size=d, max_size=d), min_size=1, max_size=7))
    return np.array(rows, dtype=float)


@given(small_sets(), st.sampled_from(RADII))
@settings(max_examples=300 if COMPILED else 60)
def test_bounds_follow_their_definitions_on_lattices(points, radius):
    """Ties on the sphere, collinear, cocircular and repeated points, constant columns."""
    assert densest_ball(points, radius) == depth_by_definition(points, radius)
    assert truss_bound(points, radius) == truss_by_definition(points, radius)
    assert core_bound(points, radius) == core_by_definition(points, radius)


def peeled_by_definition(points, radius, chosen, least):
    """Cross out who has fewer than `least` others within 2R, one at a time, until nobody does."""
    near = near_graph(points, radius)
    lists = [set(near.neighbors[near.starts[v] : near.starts[v + 1]].tolist()) for v in range(len(points))]
    left = list(chosen)
    while few := [v for v in left if len(lists[v] & set(left)) < least]:
        left.remove(few[0])
    return left


@given(small_sets(), st.sampled_from(RADII), st.integers(0, 4), st.sets(st.integers(0, 6)))
@settings(max_examples=200 if COMPILED else 60)
def test_peeled_crosses_out_who_has_too_few(points, radius, least, chosen):
    chosen = np.array(sorted(v for v in chosen if v < len(points)), dtype=np.intp)
    kept = peeled(near_graph(points, radius), chosen, least).tolist()
    assert kept == peeled_by_definition(points, radius, chosen.tolist(), least)
    assert (core_bound(points[chosen], radius) > least) == bool(kept)


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_bounds_follow_their_definitions_on_random_points(d):
    rng = np.random.default_rng(d)
    for _ in range(25 if COMPILED else 4):
        points = rng.normal(size=(int(rng.integers(1, 9)), d))
        radius = float(rng.uniform(0.3, 1.5))
        assert densest_ball(points, radius) == depth_by_definition(points, radius)
        assert truss_bound(points, radius) == truss_by_definition(points, radius)
        assert core_bound(points, radius) == core_by_definition(points, radius)


@pytest.mark.parametrize("d", [1, 2, 3, 6, 16])
def test_depth_is_below_truss_is_below_core(d):
    rng = np.random.default_rng(d)
    for _ in range(20 if COMPILED else 2):
        points = rng.normal(size=(60 if COMPILED else 25, d))
        radius = float(rng.uniform(0.2, 0.8)) * np.sqrt(d)
        depth, truss, core = (bound(points, radius) for bound in BOUNDS)
        held = max(np.count_nonzero(np.linalg.norm(points - p, axis=1) <= radius) for p in points)
        assert held <= depth <= truss <= core


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_bounds_are_monotone_and_grow_by_at_most_one_point(bound, d):
    rng = np.random.default_rng(d)
    for _ in range(30 if COMPILED else 3):
        points = rng.integers(0, 5, (12, d)) / 2 + rng.choice([0, 1e-9, 0.1]) * rng.normal(size=(12, d))
        radius = float(rng.choice([0.5, 0.8, 1.0]))
        sizes = [bound(points[:n], radius) for n in range(1, 13)]
        assert all(before <= after <= before + 1 for before, after in pairwise(sizes))


def test_planar_depth_matches_all_discs_through_two_points():
    """Every disc with two points on its border, and every point alone, on larger sets than the definition manages."""
    rng = np.random.default_rng(5)
    for n in (30, 80) if COMPILED else (15,):
        points = rng.uniform(0, 4, (n, 2))
        best = 1
        for i in range(n):
            for j in range(i):
                middle, half = (points[i] + points[j]) / 2, (points[j] - points[i]) / 2
                if half @ half <= 1.0:
                    for sign in (-1, 1):
                        away = np.array([-half[1], half[0]]) * sign * np.sqrt(1 / (half @ half) - 1)
                        held = np.linalg.norm(points - middle - away, axis=1) <= 1 + 1e-9
                        best = max(best, np.count_nonzero(held))
        assert densest_ball(points, 1.0) == best


def test_search_holds_on_points_pairwise_between_r_and_2r():
    """A complete graph with no two points closer than R: pairs and triples decide, not edges."""
    simplex = np.eye(12) * np.sqrt(2) * 0.7  # pairwise 1.4
    assert densest_ball(simplex, 0.7) == 2
    assert densest_ball(simplex, 0.81) == 3  # circumradius of three: 1.4 / sqrt(3) = 0.808
    assert truss_bound(simplex, 0.7) == 2
    assert core_bound(simplex, 0.7) == 12
    assert densest_ball(simplex, 1.0) == 12


def test_floors_change_nothing_above_them():
    rng = np.random.default_rng(7)
    for d in (2, 3, 5):
        points = rng.normal(size=(40, d))
        graph = near_graph(points, 0.9)
        depth, truss = densest_ball(points, 0.9), truss_bound(points, 0.9)
        for floor in range(truss + 3):
            assert truss_of_graph(graph, 0.9, floor) == max(truss, floor)
            assert depth_of_graph(points, graph, 0.9, floor) == max(depth, floor)


@pytest.mark.parametrize("bound", BOUNDS)
def test_bounds_of_no_points_and_of_equal_points(bound):
    assert bound(np.empty((0, 3)), 1.0) == 0
    for d in (1, 2, 3):
        assert bound(np.zeros((1, d)), 1.0) == 1
        assert bound(np.full((9, d), 0.3), 1e-6) == 9


@pytest.mark.parametrize("bound", BOUNDS)
def test_bounds_refuse_what_is_no_set_of_points_or_no_radius(bound):
    for points in ([[np.nan]], np.empty((2, 0)), [["SECRETCELL"]], [[[1.0]]]):
        with pytest.raises(InputError, match="rows of one or more finite numbers"):
            bound(points, 1.0)
    for radius in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(InputError, match="radius must be a finite number above 0"):
            bound([[0.0]], radius)


def largest_fitting_set(points, squared):
    """Claim D7 written out: every pair is an edge, every triple fits."""
    squares = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    for size in range(len(points), 0, -1):
        for chosen in combinations(range(len(points)), size):
            pairs = all(squares[p] <= 4 * squared for p in combinations(chosen, 2))
            if pairs and all(
                fits(squares[i, j], squares[i, k], squares[j, k], squared) for i, j, k in combinations(chosen, 3)
            ):
                return size
    return 0


@pytest.mark.parametrize("doubt", [2e-11, 0.3])
def test_planar_depth_is_the_largest_set_whose_triples_fit_also_in_doubt(doubt):
    """With a doubt of 0.3 the two sweeps nearly always differ, and the search decides."""
    rng = np.random.default_rng(9)
    for turn in range(120 if COMPILED else 12):
        n = int(rng.integers(1, 10))
        points = rng.integers(0, 4, (n, 2)).astype(float) if turn % 2 else rng.normal(size=(n, 2))
        radius = float(rng.choice([0.5, 1.0, np.sqrt(0.5), 1.2, np.sqrt(1.25)]))
        squared = outward_square(radius)
        found = planar_depth(points, near_graph(points, radius), squared, 0, doubt)
        assert found == largest_fitting_set(points, squared) == depth_by_definition(points, radius)


def test_planar_depth_grows_by_one_for_points_placed_at_the_very_limit():
    """Triangles inscribed in the disc that is tested, to the last digit: where a sweep alone may jump by two."""
    rng = np.random.default_rng(4)
    for _ in range(200 if COMPILED else 10):
        angles = np.sort(rng.uniform(0, 2 * np.pi, 6))
        limit = 1 + 1e-9
        points = rng.normal(size=2) + np.column_stack([np.cos(angles), np.sin(angles)]) * limit
        sizes = [densest_ball(points[:n], 1.0) for n in range(1, 7)]
        assert all(before <= after <= before + 1 for before, after in pairwise(sizes))
