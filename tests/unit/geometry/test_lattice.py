"""The densest disc on the lattice, against all subsets in exact fractions, ties included."""

import os
from fractions import Fraction
from itertools import combinations, pairwise, product

import numpy as np
import pytest

from eremite.geometry import densest_ball
from eremite.geometry.graph import near_graph
from eremite.geometry.lattice import _compared, lattice_depth, on_lattice

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") != "1"


def squared_diameter(corners):
    """Of the smallest disc around two or three lattice points, as a fraction."""
    a, b, c = sorted(sum((p - q) ** 2 for p, q in zip(*pair, strict=True)) for pair in combinations(corners, 2))
    return Fraction(c) if a + b <= c else Fraction(4 * a * b * c, 4 * a * b - (a + b - c) ** 2)


def depth_by_definition(images, square):
    """The largest part of the images every three of which fit into the disc: by Helly's theorem, all of it does."""
    points = [tuple(map(int, image)) for image in images]
    for size in range(len(points), 0, -1):
        for part in combinations(points, size):
            triples = combinations(part, 3) if size > 2 else [(*part, *part[: 3 - size], part[0])[:3]]
            if all(squared_diameter(triple) <= square for triple in triples):
                return size
    return 0


def found_depth(images, square, floor=0):
    images = np.asarray(images, dtype=float)
    return lattice_depth(images, near_graph(images, float(np.sqrt(square)) / 2), square, floor)


def triangles(side):
    """The proper triangles with a corner at the origin and the others in a small square."""
    for corners in product(range(side), repeat=4):
        if corners[0] * corners[3] != corners[1] * corners[2]:
            yield (0, 0), corners[:2], corners[2:]


def test_lattice_depth_is_that_of_all_subsets():
    rng = np.random.default_rng(3)
    for _ in range(200 if COMPILED else 15):
        images = rng.integers(0, int(rng.choice([3, 6, 12])), (int(rng.integers(1, 9)), 2))
        square = 4 * int(rng.integers(0, 30)) + 3
        assert found_depth(images, square) == depth_by_definition(images, square)


def test_no_triangle_lies_on_the_very_border():
    """Claim V2: a disc's squared diameter is 3 modulo 4, that of a triangle is a sum of two squares if it is whole."""
    whole = [int(square) for each in triangles(6) if (square := squared_diameter(each)).denominator == 1]
    assert len(whole) > 100
    assert 3 not in {square % 4 for square in whole}


def test_lattice_depth_tells_apart_what_is_just_inside_from_what_is_just_outside():
    """Triangles inscribed in the disc but for a few parts in 10^12 of its squared diameter, among other points."""
    rng = np.random.default_rng(4)
    told = set()
    for triangle in list(triangles(5))[:: 4 if COMPILED else 60]:
        factor = int(rng.integers(2**15, 2**17))
        corners = np.array(triangle) * factor
        border = squared_diameter([tuple(map(int, corner)) for corner in corners])
        below = int(border) // 4 * 4 - 1
        others = rng.integers(-3, 6, (4, 2)) * factor + rng.integers(-1, 2, (4, 2))
        images = np.vstack([corners, others, corners[:1]])
        for square in (below, below + 4, below + 8):
            depth = found_depth(corners, square)
            told.add((square < border, depth))
            assert depth == depth_by_definition(corners, square)
            assert found_depth(images, square) == depth_by_definition(images, square)
    assert told == {(True, 2), (False, 3)}


def test_lattice_depth_grows_by_at_most_one_with_each_point():
    rng = np.random.default_rng(5)
    for _ in range(60 if COMPILED else 5):
        angles = rng.uniform(0, 2 * np.pi, 12)
        images, square = on_lattice(np.column_stack([np.cos(angles), np.sin(angles)]) * (1 + 1e-9), 1.0)
        depths = [found_depth(images[:n], square) for n in range(1, 13)]
        assert all(before <= after <= before + 1 for before, after in pairwise(depths))


@pytest.mark.parametrize("radius", [1e-140, 0.1, 0.5, 1.0, 3.7e149])
def test_images_hold_what_a_disc_of_the_radius_holds_and_little_more(radius):
    rng = np.random.default_rng(6)
    for _ in range(20 if COMPILED else 2):
        points = rng.normal(size=(60 if COMPILED else 20, 2)) * 1.5 * radius
        images, square = on_lattice(points, radius)
        depth = found_depth(images, square)
        assert densest_ball(points, radius) <= depth <= densest_ball(points, radius * (1 + 6e-6))


def test_every_point_goes_to_the_lattice_alone():
    rng = np.random.default_rng(7)
    points = rng.random((50, 2))
    images, square = on_lattice(points, 0.3)
    for i in range(50):
        alone, same = on_lattice(points[i : i + 1], 0.3)
        assert (alone == images[i]).all()
        assert same == square
    assert square % 4 == 3
    assert 2**18 <= np.sqrt(square) / 2 <= 2**19 + 1


def test_floors_change_nothing_above_them():
    images, square = on_lattice(np.random.default_rng(8).random((30, 2)), 0.2)
    depth = found_depth(images, square)
    assert [found_depth(images, square, floor) for floor in range(depth + 3)] == [
        max(depth, floor) for floor in range(depth + 3)
    ]


def test_products_are_compared_to_the_last_bit():
    rng = np.random.default_rng(9)
    for _ in range(500 if COMPILED else 50):
        a, b = int(rng.integers(1, 2**41)), int(rng.integers(1, 2**20))
        scale = int(rng.integers(1, 2**20))
        for near in (0, 1, -1):
            c, d = a, b * scale + near
            wanted = (a * a * b * scale > c * c * d) - (a * a * b * scale < c * c * d)
            assert _compared(a, b * scale, c, d) == wanted
        wanted = (a * a * b > (a + 1) ** 2 * b) - (a * a * b < (a + 1) ** 2 * b)
        assert _compared(a, b, a + 1, b) == wanted
    for a, b, c, d in ((2, 9, 3, 4), (2**40, 9, 3 * 2**38, 16), (0, 5, 0, 7), (2**41, 2**40, 2**41, 2**40 - 1)):
        assert _compared(a, b, c, d) == (a * a * b > c * c * d) - (a * a * b < c * c * d)
