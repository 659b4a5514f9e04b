from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eremite import InputError, OutlierDefinition
from eremite.geometry import densest_ball
from eremite.geometry import graph as graph_module
from eremite.geometry import sweep as sweep_module
from eremite.outliers import degrees
from eremite.sensitivity import global_bounds, local_profile, smooth_bound
from eremite.sensitivity import profile as profile_module
from eremite.sensitivity import smooth as smooth_module
from eremite.sensitivity import windows as windows_module
from eremite.sensitivity.relation import Change
from eremite.sensitivity.smooth import count_with_bound, last_useful_step
from eremite.sensitivity.windows import Limits, windows
from tests.attacks.neighboring import thinned_profile_with
from tests.definition import (
    core_by_definition,
    depth_by_definition,
    profile_by_definition,
    thinned_truss_by_definition,
    truss_by_definition,
)

BOUNDS = {"ball": depth_by_definition, "truss": truss_by_definition, "core": core_by_definition}
METHODS = ("auto", *BOUNDS)


@st.composite
def small_tables(draw):
    d = draw(st.integers(1, 3))
    rows = draw(st.lists(st.lists(st.integers(0, 3), min_size=d, max_size=d), min_size=1, max_size=7))
    return np.array(rows, dtype=float)


@given(small_tables(), st.integers(1, 4), st.sampled_from([0.5, 1.0, 1 / np.sqrt(2)]))
@settings(max_examples=60)
def test_profile_follows_its_definition(points, k, radius):
    definition = OutlierDefinition(min_neighbors=k, radius=radius)
    for method, bound in BOUNDS.items():
        wanted = profile_by_definition(points, k, radius, 4, bound)
        assert local_profile(points, definition, 4, method).tolist() == wanted


@given(small_tables(), st.integers(1, 4), st.sampled_from([0.5, 1.0, 1 / np.sqrt(2)]))
@settings(max_examples=60)
def test_default_profile_counts_thin_sets(points, k, radius):
    """In two columns and more; in one it is that of depth."""
    definition = OutlierDefinition(min_neighbors=k, radius=radius)
    if points.shape[1] == 1:
        wanted = profile_by_definition(points, k, radius, 4, depth_by_definition)
    else:
        wanted = thinned_profile_with(points, k, radius, 4, bound=held, around=held_around)
    assert local_profile(points, definition, 4).tolist() == wanted


def held(rows, radius, k, step):
    truss = thinned_truss_by_definition(rows, radius, k)
    return truss if rows.shape[1] > 2 else min(truss, depth_by_definition(rows, radius * np.sqrt(2)))


def held_around(rows, radius, k, step):
    return thinned_truss_by_definition(rows, radius, k)


LOW = Limits(edges=300, triangles=2_000, crowd=12)


@pytest.mark.long
@pytest.mark.parametrize("limits", [None, LOW], ids=["", "limited"])
@pytest.mark.parametrize("few", [0, 2**22])
def test_narrowed_windows_hold_as_many_in_one_ball(monkeypatch, few, limits):
    """For every step up to the one they were narrowed for, with that floor or more; with a graph of them or without."""
    monkeypatch.setattr(windows_module, "_FEW_EDGES", few)
    rng = np.random.default_rng(8)
    dropped = 0
    for d in (1, 2, 3, 5):
        points = np.vstack([rng.normal(0, 1, (60, d)), rng.normal(4, 3, (30, d))])
        definition = OutlierDefinition(min_neighbors=3, radius=float(rng.uniform(0.2, 0.6)))
        for method in ("auto", "core"):
            seen = windows(points, definition, 12, method, 90, limits=limits)
            for floor in (0, 1, 3, 8):
                narrow = seen.narrowed(replaced(11), floor)
                dropped += len(seen.rows) - len(narrow.rows)
                assert narrow.outliers == seen.outliers
                for step in range(12):
                    for asked in (floor, floor + 2):
                        assert narrow.turned(replaced(step), asked) == seen.turned(replaced(step), asked)
    assert dropped > 100 or limits  # where hardly a graph is allowed, every row may tell that a window is too large


def replaced(step):
    return Change(step, step, step, step + 1)


def plain_maximum(points, definition, decay, method):
    profile = local_profile(points, definition, 200, method).tolist()
    return max(decay**t * size for t, size in enumerate(profile))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("decay", [Fraction(1, 2), Fraction(9, 10), Fraction(39, 40)])
def test_smooth_bound_is_the_plain_maximum(method, decay):
    rng = np.random.default_rng(11)
    for d in (1, 2, 3, 5):
        points = np.vstack([rng.normal(0, 1, (60, d)), rng.normal(4, 3, (15, d))])
        definition = OutlierDefinition(min_neighbors=int(rng.integers(1, 6)), radius=float(rng.uniform(0.2, 0.9)))
        assert smooth_bound(points, definition, decay, method) == plain_maximum(points, definition, decay, method)


@pytest.mark.long
@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_smooth_bound_of_sparse_tables_is_the_plain_maximum_after_few_looks(monkeypatch, d):
    """Most rows are in most windows: each look costs as much as the others, and one must do for many steps."""
    looks = []
    look = windows_module.Windows.turned

    def counted(seen, step, floor=0):
        looks.append(step)
        return look(seen, step, floor)

    monkeypatch.setattr(windows_module.Windows, "turned", counted)
    rng = np.random.default_rng(d)
    points = rng.random((250, d))
    for radius, decay in ((0.5 / 250 ** (1 / d), Fraction(19, 20)), (0.8 / 250 ** (1 / d), Fraction(99, 100))):
        definition = OutlierDefinition(min_neighbors=4, radius=radius)
        wanted = plain_maximum(points, definition, decay, "auto")
        looks.clear()
        assert smooth_bound(points, definition, decay) == wanted
        assert len(looks) <= 25


@given(small_tables(), st.integers(1, 4), st.sampled_from([0.5, 1.0, 3.0]))
@settings(max_examples=60)
def test_smooth_bound_of_crowded_tables_is_the_plain_maximum(points, k, radius):
    """Where one ball holds as many rows as the cap, or more."""
    definition = OutlierDefinition(min_neighbors=k, radius=radius)
    for decay in (Fraction(1, 2), Fraction(9, 10)):
        assert smooth_bound(points, definition, decay) == plain_maximum(points, definition, decay, "auto")


@pytest.mark.parametrize("edges", [0, 100, 1_000, 3_000])
def test_smooth_bound_is_the_plain_maximum_where_its_work_is_limited(monkeypatch, edges):
    for module in (smooth_module, profile_module):
        monkeypatch.setattr(module, "limits_for", lambda n: Limits(edges=edges, triangles=20 * edges, crowd=30))
    rng = np.random.default_rng(12)
    for d in (2, 3, 5):
        points = np.vstack([rng.normal(0, 1, (60, d)), rng.normal(4, 3, (15, d))])
        definition = OutlierDefinition(min_neighbors=int(rng.integers(1, 6)), radius=float(rng.uniform(0.2, 0.9)))
        for decay in (Fraction(1, 2), Fraction(39, 40)):
            assert smooth_bound(points, definition, decay) == plain_maximum(points, definition, decay, "auto")


def satellites(rng, d):
    """Dense clumps that are in no window, and around each of them a few rows of about 45 neighbors."""
    rows = []
    for center in 20.0 * np.eye(5, d) * np.arange(1, 6)[:, None]:
        around = rng.normal(size=(12, d))
        rows.append(np.tile(center, (int(rng.integers(40, 47)), 1)))
        rows.append(center + 0.9 * around / np.linalg.norm(around, axis=1)[:, None] * rng.uniform(0.5, 1, (12, 1)))
    return np.vstack(rows)


@pytest.mark.parametrize("looks", [0, 1_000])
def test_shared_triangles_change_no_answer_where_lists_are_too_long(monkeypatch, looks):
    """Then f stands in for what lies around rows, and two windows of each step share what is known of edges."""
    monkeypatch.setattr(windows_module, "_MANY_LOOKS", looks)
    rng = np.random.default_rng(21)
    for d in (2, 3, 4, 3, 3):
        points, definition = satellites(rng, d), OutlierDefinition(min_neighbors=45, radius=float(1 / np.sqrt(d)))
        seen = windows(points, definition, 6, "auto", 300, limits=Limits(edges=400, triangles=2**20, crowd=60))
        wanted = [seen.turned(replaced(step)) for step in range(6)]
        for _ in range(4):
            narrow = seen.narrowed(replaced(5), 0, looks=2 * looks)
            for step in rng.permutation(6).tolist():
                for floor in (0, max(0, wanted[step] - 1), wanted[step]):
                    assert narrow.turned(replaced(step), floor) == max(wanted[step], floor)


def test_windows_are_counted_more_coarsely_the_less_work_is_allowed():
    points = np.random.default_rng(13).normal(0, 1, (80, 3))
    definition = OutlierDefinition(min_neighbors=4, radius=0.5)
    bounds = []
    for limits in (windows_module.UNLIMITED, Limits(2**20, 2**20, 20), Limits(2**20, 0, 20), Limits(500, 0, 0)):
        seen = windows(points, definition, 6, "truss", 80, limits=limits)
        bounds.append([seen.ball_bound(4, step) for step in range(6)])
    unlimited, crowded, cores, sizes = map(np.array, bounds)
    for finer, coarser in pairwise((unlimited, crowded, cores, sizes)):
        assert (finer <= coarser).all()
    assert unlimited.sum() < crowded.sum() < cores.sum() < sizes.sum()
    assert cores.tolist() == [windows(points, definition, 6, "core", 80).ball_bound(4, step) for step in range(6)]


@pytest.mark.long
@pytest.mark.parametrize("d", [2, 3, 12])
def test_no_graph_has_more_edges_than_are_allowed(monkeypatch, d):
    """Rows within 2R of each other, few of them within R: as many edges as pairs, if nothing kept count."""
    rng = np.random.default_rng(d)
    directions = rng.normal(size=(400, d))
    points = 1.1 * directions / np.linalg.norm(directions, axis=1)[:, None]
    radius = 1 / np.sqrt(d)
    definition = OutlierDefinition(min_neighbors=max(1, int(np.median(degrees(points, radius)))), radius=radius)
    made, in_order = [], graph_module._in_order
    monkeypatch.setattr(graph_module, "_in_order", lambda *given: made.append(given[2].size // 2) or in_order(*given))
    count_with_bound(points, definition, Fraction(9, 10))
    assert max(made) > 10_000
    made.clear()
    monkeypatch.setattr(smooth_module, "limits_for", lambda n: Limits(edges=10_000, triangles=10_000, crowd=100))
    count_with_bound(points, definition, Fraction(9, 10))
    assert max(made, default=0) <= 10_000


def test_a_ring_at_the_very_limit_of_a_disc_takes_no_search(monkeypatch):
    """Points on a circle of radius R(1 + 1e-9): the search for the largest group would try all subsets of them."""

    def searched(*_):
        raise AssertionError("a search over subsets was begun")

    monkeypatch.setattr(sweep_module, "largest_triple_group", searched)
    angles = 2 * np.pi * np.arange(181) / 181
    ring = 0.5 + 0.1 * np.sqrt(2) * (1 + 1e-9) * np.column_stack([np.cos(angles), np.sin(angles)])
    for k in (30, 60, 61, 90):
        for last in ([0.5, 0.5], [0.9, 0.9]):
            points = np.vstack([ring, [last]])
            outliers, bound = count_with_bound(points, OutlierDefinition(min_neighbors=k, radius=0.1), Fraction(9, 10))
            assert outliers <= 182
            assert bound >= 1


def test_smooth_bound_is_an_exact_fraction():
    bound = smooth_bound([[0.0], [1.0], [5.0]], OutlierDefinition(min_neighbors=1, radius=1.0), Fraction(2, 3))
    assert type(bound) is Fraction
    assert bound == plain_maximum([[0.0], [1.0], [5.0]], OutlierDefinition(min_neighbors=1, radius=1.0),
                                  Fraction(2, 3), "ball")  # fmt: skip


def papers_algorithm_2(points, definition, decay):
    """Algorithm 2 with Proposition 3, its decay corrected: t = 0, 1, ... until no later t can win."""
    seen = windows(np.asarray(points, float), definition, len(points) + 1, "ball", global_bounds(len(points), 2, 3)[1])
    n, k = len(points), definition.min_neighbors
    best = Fraction(0)
    for t in range(n):
        depths = {j: densest_ball(seen.points[np.abs(seen.degrees - j) <= t], seen.radius) for j in (k, k - 1)}
        best = max(best, decay**t * min(n, seen.most, max(depths.values()) + t + 1))

        def later(s, depths=depths, t=t):
            distance = {j: np.abs(seen.degrees - j) for j in depths}
            sizes = [depths[j] + np.count_nonzero((distance[j] > t) & (distance[j] <= s)) for j in depths]
            return decay**s * min(n, seen.most, int(max(sizes)) + s + 1)

        if all(later(s) <= best for s in range(t + 1, n)):
            return best, 2 * (t + 1)
    return best, 2 * n


def test_smooth_bound_is_at_most_the_papers_algorithm_2_with_fewer_depth_evaluations(monkeypatch):
    calls = []
    exact = windows_module.depth_of_graph
    monkeypatch.setattr(windows_module, "depth_of_graph", lambda *known: calls.append(1) or exact(*known))
    rng = np.random.default_rng(2)
    ours = theirs = smaller = 0
    for _ in range(8):
        points = np.vstack([rng.normal(0, 1, (45, 2)), rng.normal(20, 10, (5, 2))])
        definition = OutlierDefinition(min_neighbors=3, radius=1.1)
        wanted, evaluations = papers_algorithm_2(points, definition, Fraction(85, 100))
        bound = smooth_bound(points, definition, Fraction(85, 100), "ball")
        assert bound <= wanted
        ours, theirs, smaller = ours + len(calls), theirs + evaluations, smaller + (bound < wanted)
        calls.clear()
    assert ours < theirs
    assert smaller > 0


def test_last_useful_step_depends_on_public_numbers_and_covers_the_maximum():
    assert last_useful_step(1, Fraction(1, 2)) == 1
    for most, decay in ((31, Fraction(4, 5)), (1201, Fraction(39, 40))):
        last = last_useful_step(most, decay)
        floor = max(decay**t * min(t + 1, most) for t in range(last + 1))
        assert decay**last * most <= floor


@pytest.mark.parametrize("method", ["auto", "truss", "core"])
def test_complete_graphs_still_finish(method):
    """All rows between R and 2R of each other: every pair is an edge and no two rows are neighbors."""
    n = 120
    points = np.eye(n) * 1.4 / np.sqrt(2)  # pairwise 1.4, R = 1
    definition = OutlierDefinition(min_neighbors=5, radius=1 / np.sqrt(n))
    profile = local_profile(points, definition, 8, method)
    assert profile[-1] >= 8
    assert smooth_bound(points, definition, Fraction(4, 5), method) >= profile[0]


def test_empty_single_and_overfull_cases_have_the_right_answer():
    definition = OutlierDefinition(min_neighbors=7, radius=0.5)
    decay = Fraction(1, 2)
    assert local_profile(np.empty((0, 2)), definition, 3).tolist() == [0, 0, 0]
    assert smooth_bound(np.empty((0, 2)), definition, decay) == 0
    assert local_profile([[0.0, 0.0]], definition, 3).tolist() == [1, 1, 1]
    assert smooth_bound([[0.0, 0.0]], definition, decay) == 1
    few = np.zeros((4, 2))  # k > N: always all outliers, and the profile knows when it could not be
    assert local_profile(few, definition, 5)[0] >= 0
    assert max(local_profile(few, definition, 5)) <= 4


@pytest.mark.parametrize("points", [[[np.nan]], [[np.inf]], np.empty((3, 0)), [1.0, 2.0], [["SECRETCELL"]]])
def test_bad_points_are_refused_in_one_sentence(points):
    definition = OutlierDefinition(min_neighbors=1, radius=0.5)
    for ask in (lambda: local_profile(points, definition, 2), lambda: smooth_bound(points, definition, Fraction(1, 2))):
        with pytest.raises(InputError) as caught:
            ask()
        assert "SECRETCELL" not in str(caught.value)


def test_bad_parameters_are_refused_in_one_sentence():
    definition = OutlierDefinition(min_neighbors=1, radius=0.5)
    for steps in (0, -1, 2.0, True):
        with pytest.raises(InputError, match="steps must be a whole number"):
            local_profile([[0.0]], definition, steps)
    hardly = Fraction(1, 10**400)
    for decay in (Fraction(0), Fraction(1), Fraction(3, 2), 0.5, 1, hardly, 1 - hardly):
        with pytest.raises(InputError, match="decay must be a Fraction"):
            smooth_bound([[0.0]], definition, decay)
    with pytest.raises(InputError, match="method must be one of auto, ball, truss, core"):
        local_profile([[0.0]], definition, 2, "fast")


def test_logarithms_of_very_long_fractions_do_not_cancel():
    """A bound found 200,000 steps away has eight million binary digits above and below."""
    decay = Fraction(2**40 - 1, 2**40)
    steps = 200_000
    expected = np.log(7) + steps * np.log1p(-(2.0**-40))
    assert abs(smooth_module._log(decay**steps * 7) - expected) < 1e-12
