import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eremite import InputError
from eremite.geometry import smallest_enclosing_ball
from eremite.geometry.enclosing import enclose


def bounds(points):
    rows = np.ascontiguousarray(points, dtype=float)
    center = np.empty(rows.shape[1])
    lower, upper = enclose(rows, np.arange(len(rows)), len(rows), -1.0, -1.0, center)
    return np.sqrt(lower), np.sqrt(upper)


SHAPES = {
    "normal": lambda rng, n, d: rng.normal(size=(n, d)),
    "lattice": lambda rng, n, d: rng.integers(0, 3, (n, d)).astype(float),
    "sphere": lambda rng, n, d: (lambda p: p / np.linalg.norm(p, axis=1, keepdims=True))(rng.normal(size=(n, d))),
    "repeated": lambda rng, n, d: np.repeat(rng.normal(size=(n, d)), 3, axis=0),
    "line": lambda rng, n, d: np.outer(rng.normal(size=n), rng.normal(size=d)),
    "flat": lambda rng, n, d: rng.normal(size=(n, max(1, d // 2))) @ rng.normal(size=(max(1, d // 2), d)),
    "constant column": lambda rng, n, d: np.column_stack([np.full(n, 7.0), rng.normal(size=(n, d))]),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("d", [1, 2, 3, 7, 64])
def test_ball_is_certified_smallest(shape, d):
    """The lower bound proves it (claim B1), the center shows it."""
    rng = np.random.default_rng(d)
    for n in (1, 2, 3, 5, 20, 70):
        points = SHAPES[shape](rng, n, d)
        lower, upper = bounds(points)
        assert upper - lower <= 1e-12 * upper
        center, radius = smallest_enclosing_ball(points)
        assert np.linalg.norm(points - center, axis=1).max() <= radius * (1 + 1e-12) + 1e-300
        assert radius == pytest.approx(upper, rel=1e-9)


@pytest.mark.long
def test_ball_agrees_with_miniball_where_that_answers():
    miniball = pytest.importorskip("miniball")
    rng = np.random.default_rng(3)
    compared = 0
    for _ in range(200):
        points = rng.normal(size=(int(rng.integers(2, 30)), int(rng.integers(1, 10))))
        try:
            _, square = miniball.get_bounding_ball(points)
        except np.linalg.LinAlgError:
            continue
        assert smallest_enclosing_ball(points)[1] == pytest.approx(np.sqrt(square), rel=1e-9)
        compared += 1
    assert compared > 150


@given(st.lists(st.tuples(*[st.integers(-4, 4)] * 3), min_size=1, max_size=12))
@settings(max_examples=100)
def test_ball_is_no_larger_than_that_of_any_two_and_grows_with_the_set(points):
    radius = smallest_enclosing_ball(points)[1]
    widest = max(np.linalg.norm(np.subtract(p, q)) for p in points for q in points)
    assert widest / 2 * (1 - 1e-12) <= radius <= widest / np.sqrt(2) * (1 + 1e-9) + 1e-300  # Jung
    assert smallest_enclosing_ball(points[:-1] or points)[1] <= radius * (1 + 1e-12)


@pytest.mark.parametrize("scale", [1e-200, 1e-8, 1e8, 1e150])
def test_ball_scales_without_overflow(scale):
    center, radius = smallest_enclosing_ball(np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 1.0]]) * scale)
    assert radius == pytest.approx(scale)
    assert center == pytest.approx([scale, 0.0], abs=1e-12 * scale)


def test_enclose_stops_early_with_a_sound_answer():
    rng = np.random.default_rng(1)
    points = rng.normal(size=(40, 4))
    exact = bounds(points)[1] ** 2
    center = np.empty(4)
    everyone = np.arange(40)
    lower, _ = enclose(points, everyone, 40, -1.0, exact / 4, center)
    assert exact / 4 < lower <= exact * (1 + 1e-12)
    _, upper = enclose(points, everyone, 40, exact * 2, -1.0, center)
    assert upper <= exact * 2
    assert np.linalg.norm(points - center, axis=1).max() ** 2 <= upper * (1 + 1e-12)


@pytest.mark.parametrize("points", [[], [[]], [[np.nan]], [[np.inf, 0.0]]])
def test_ball_of_nothing_or_of_no_numbers_is_refused(points):
    with pytest.raises(InputError, match="one or more points"):
        smallest_enclosing_ball(points)
