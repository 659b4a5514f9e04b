"""Every counting method against the definition: ties, duplicates, constants, hostile shapes.

This file also runs with compilation off, which is how the kernels' lines are seen to be covered.
"""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.scale_tables import made_rows
from eremite.engines import cells, local, tree
from eremite.engines.pair import squared_radius
from tests.definition import degrees_by_definition
from tests.unit.engines.counting_methods import (
    COMPILED,
    assert_all_agree,
    by_cells,
    by_choice,
    by_tree,
    by_worthy_cells,
)


@st.composite
def lattices(draw):
    """Few distinct coordinates, and a radius on their scale: distances tie with each other and with the radius."""
    d = draw(st.integers(1, 6))
    rows = draw(st.lists(st.lists(st.integers(0, 3), min_size=d, max_size=d), min_size=1, max_size=40))
    scale = draw(st.sampled_from([1.0, 0.125, 1024.0]))
    return np.array(rows, dtype=float) * scale, scale * draw(st.sampled_from([0.0, 0.125, 0.5, 1.0, 3.0, 8.0]))


@given(lattices())
@settings(max_examples=150 if COMPILED else 25)
def test_methods_agree_with_the_definition_on_lattices(lattice):
    assert_all_agree(*lattice)


@given(st.integers(0, 2**32 - 1), st.integers(1, 10), st.floats(1e-3, 2.0))
@settings(max_examples=60 if COMPILED else 10)
def test_methods_agree_with_the_definition_on_clusters_and_noise(seed, d, radius):
    rng = np.random.default_rng(seed)
    clusters = rng.normal(rng.uniform(0, 1, (2, d))[rng.integers(0, 2, 120)], 0.05)
    assert_all_agree(np.vstack([clusters, rng.uniform(0, 1, (15, d))]), radius, caps=(2, 20, None))


def tied_pairs(d):
    """Pairs exactly at the radius, and one float beyond it, far from each other."""
    for step in range(8):
        base = np.full(d, 1000.0 * step)
        yield base
        other = base.copy()
        other[step % d] += 3.0 if step < 4 else np.nextafter(3.0, 4.0)
        yield other


@pytest.mark.parametrize("d", [1, 4, 9])
def test_methods_decide_ties_at_the_radius_alike(d):
    points = np.array(list(tied_pairs(d)))
    radius = 3.0 / np.sqrt(d)  # a whole number's root for these d: the squared radius is exactly 9
    assert squared_radius(radius, d) == 9.0
    assert_all_agree(points, radius)
    exact = degrees_by_definition(points, radius)
    assert exact[:8] == [1] * 8


HOSTILE = {
    "all rows equal": lambda rng, d: np.full((300, d), 0.3),
    "two equal crowds in one cell": lambda rng, d: np.repeat([[0.0] * d, [0.9] * d], 150, axis=0),
    "heavy duplicates": lambda rng, d: rng.integers(0, 2, (300, d)).astype(float),
    "one far row": lambda rng, d: np.vstack([rng.uniform(0, 1, (200, d)), np.full((1, d), 1e12)]),
    "a constant column": lambda rng, d: np.column_stack([np.zeros(200), rng.uniform(0, 1, (200, max(1, d - 1)))]),
    "large offset": lambda rng, d: 1e9 + rng.integers(0, 4, (150, d)).astype(float),
    "sorted rows": lambda rng, d: np.sort(rng.uniform(0, 1, (300, d)), axis=0),
    "negative rows": lambda rng, d: -rng.uniform(0, 1, (150, d)),
}


@pytest.mark.long
@pytest.mark.parametrize("d", [1, 2, 3, 5, 9])
@pytest.mark.parametrize("shape", HOSTILE)
def test_methods_agree_with_the_definition_on_hostile_shapes(shape, d):
    points = HOSTILE[shape](np.random.default_rng(d), d)
    if not COMPILED:
        points = points[:: max(1, len(points) // 90)]
    for radius in (1e-9, 0.25, 1.0) if COMPILED else (0.25,):
        assert_all_agree(points, radius, caps=(4, 100, None) if COMPILED else (4, None))


def test_methods_agree_in_sixty_four_columns():
    rng = np.random.default_rng(64)
    assert_all_agree(rng.normal(0, 0.1, (130, 64)), 0.14, caps=(3, None))


@pytest.mark.parametrize("d", [1, 2, 3, 7])
@pytest.mark.parametrize("n", [0, 1, 2, 63, 64, 65])
def test_methods_agree_at_the_sizes_where_leaves_fill(n, d):
    points = np.random.default_rng(n).integers(0, 3, (n, d)).astype(float)
    if n == 0:
        assert local.count_neighbors(points, 1.0, None).shape == (0,)
    else:
        assert_all_agree(points, 1.0)


def test_cells_leave_crowds_without_a_cap_to_the_tree(monkeypatch):
    """Half the rows see the other half in their own cell, too far away; without a cap nothing ends the search."""
    n = 20_000
    if not COMPILED:
        n = 200
        monkeypatch.setattr(cells, "_MOST_DISTANCES_PER_ROW", 16)
    points = np.repeat([[0.0, 0.0], [0.8, 0.8]], n // 2, axis=0) + np.arange(n)[:, None] * 1e-9
    radius = 1 / np.sqrt(2)
    assert by_cells(points, radius, n, 1) is None
    assert by_cells(points, radius, 10, 1).tolist() == [10] * n
    assert by_choice(points, radius, n, 1).tolist() == [n // 2 - 1] * n


def test_threads_share_the_work_and_agree():
    rng = np.random.default_rng(2)
    for d, n in ((2, 400), (3, 400), (7, 300)):
        assert_all_agree(rng.uniform(0, 1, (n, d)), 0.1, caps=(5,), threads=(3,))


def test_cells_refuse_a_grid_whose_keys_do_not_fit():
    points = np.array([[0.0] * 5, [1.0] * 5, [1.0, 1.0, 1.0, 1.0, 1.5]])
    assert by_cells(points, 1e-6, 3, 1) is None
    assert by_choice(points, 1.0, 3, 1).tolist() == [1, 2, 1]
    assert by_cells(points, 0.0, 3, 1) is None
    assert by_worthy_cells(points, 0.1, 3, 1) is None
    assert by_choice(points, 0.0, 3, 1).tolist() == [0, 0, 0]


@pytest.mark.skipif(not COMPILED, reason="a matter of scale")
def test_tree_settles_ties_at_the_radius_without_scanning_them():
    """Half a million pairs at exactly the radius: boxes settle them, or this takes minutes."""
    corners = np.random.default_rng(0).integers(0, 2, (60_000, 2)).astype(float)
    found = by_choice(corners, np.sqrt(0.5), len(corners), 1)
    sizes = np.unique(corners, axis=0, return_counts=True)[1].reshape(2, 2)
    wanted = sizes.sum() - sizes[::-1, ::-1] - 1  # all but the opposite corner
    assert {int(w) for w in wanted.ravel()} == {int(f) for f in np.unique(found)}


@pytest.mark.long
def test_kernels_compile_without_a_place_for_their_cache(tmp_path):
    code = "import numpy as np; from eremite.outliers import degrees; print(degrees([[0.0], [1.0]], 1.0).tolist())"
    blocked = tmp_path / "file"
    blocked.write_text("")
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(blocked / "nowhere")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[1, 1]", done.stderr[-500:]


def test_rows_that_go_on_without_their_group_are_definition(monkeypatch):
    """Compiled kernels keep the numbers they were compiled with; with compilation off, groups part at once."""
    monkeypatch.setattr(tree, "_TOGETHER", 1)
    monkeypatch.setattr(tree, "_ROWS_A_NEIGHBOR", 0)
    rng = np.random.default_rng(3)
    points = np.vstack([rng.integers(0, 4, (90, 6)) / 4, rng.normal(0.5, 0.02, (150, 6)), rng.uniform(0, 1, (60, 6))])
    wanted = np.array(degrees_by_definition(points, 0.2))
    for cap in (0, 5, 34):
        found = by_tree(points, 0.2, cap, 1)
        assert found.tolist() == np.minimum(wanted, cap).tolist()


_count_row = tree._count_row


def _half_as_far(columns, low, high, width, squared, *rest):
    return _count_row(columns, low, high, width, squared / 4, *rest)


def _without_the_row_itself(*arguments):
    return _count_row(*arguments) - 1


def _in_one_half_of_the_tree(columns, low, *rest):
    return _count_row(columns, np.where(np.arange(len(low))[:, None] == 3, np.inf, low), *rest)


@pytest.mark.skipif(COMPILED, reason="compiled kernels keep the functions they were compiled with")
@pytest.mark.parametrize("mistake", [_half_as_far, _without_the_row_itself, _in_one_half_of_the_tree])
def test_rows_that_go_on_wrongly_are_seen(monkeypatch, mistake):
    monkeypatch.setattr(tree, "_count_row", mistake)
    with pytest.raises(AssertionError):
        test_rows_that_go_on_without_their_group_are_definition(monkeypatch)


@pytest.mark.skipif(not COMPILED, reason="takes minutes with compilation off")
@pytest.mark.parametrize(("shape", "d"), [("clusters", 10), ("coarse", 6), ("skewed", 8)])
def test_large_groups_part_and_count_what_each_row_counts_alone(shape, d):
    points = np.ascontiguousarray(made_rows(shape, 60_000, d, 0))
    grown, squared = tree.build(points, 2), squared_radius(0.05, d)
    for cap in (5, 34):
        found = tree.count(grown, squared, cap, 2)
        assert (found < cap).any()
        assert found.tolist() == tree.count_rows(grown, points, np.arange(len(points)), squared, cap, 2).tolist()
        some = np.random.default_rng(1).integers(0, len(points), 60)
        by_definition = [int((np.square(points - points[i]).sum(axis=1) <= squared).sum()) - 1 for i in some]
        assert found[some].tolist() == [min(degree, cap) for degree in by_definition]
