"""The dampened count against its definition, and the cheap bounds on a profile that its bounds come from."""

from fractions import Fraction
from itertools import accumulate, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eremite import OutlierDefinition
from eremite.engines import find_neighbors
from eremite.sensitivity import (
    dampened,
    glimpse,
    global_bounds,
    local_profile,
    most_moved,
    profile_function,
    smooth_bound,
)
from eremite.sensitivity.relation import Change
from eremite.sensitivity.windows import windows

profiles = st.lists(st.integers(1, 9), min_size=1, max_size=8).map(sorted)


def dampened_by_definition(gap, profile, limit, most):
    """D_t = A^(0) + ... + A^(t-1); t the least with D_t >= gap; t - 1 + (gap - D_{t-1}) / (D_t - D_{t-1}).

    Negative gaps mirrored, with the cap for A^(t) from t = limit on.
    """
    if gap < 0:
        return -dampened_by_definition(-gap, lambda t: profile(t) if t < limit else most, limit, most)
    if gap == 0:
        return Fraction(0)
    bridged = [0, *accumulate(profile(t) for t in range(gap))]
    t = min(t for t in range(1, gap + 1) if bridged[t] >= gap)
    return t - 1 + Fraction(gap - bridged[t - 1], bridged[t] - bridged[t - 1])


def extended(sizes):
    return lambda step: sizes[min(step, len(sizes) - 1)]


@given(st.integers(-60, 60), profiles, st.integers(1, 80))
@settings(max_examples=300)
def test_dampened_follows_its_definition(gap, sizes, limit):
    for most in (sizes[-1], sizes[-1] + 5):
        wanted = dampened_by_definition(gap, extended(sizes), limit, most)
        assert dampened(gap, extended(sizes), limit, most) == wanted


@given(st.integers(-60, 60), profiles, st.integers(1, 80))
@settings(max_examples=100)
def test_dampened_grows_with_the_count_and_turns_with_its_sign(gap, sizes, limit):
    steps = dampened(gap, extended(sizes), limit, 9)
    assert steps < dampened(gap + 1, extended(sizes), limit, 9)  # no two counts tie
    assert (steps > 0) == (gap > 0)
    if abs(steps) <= limit:
        assert dampened(-gap, extended(sizes), limit, 9) == -steps


@given(st.integers(-60, 60), profiles, profiles)
@settings(max_examples=100)
def test_dampened_takes_fewer_steps_with_a_larger_profile(gap, sizes, more):
    """Claim U3: the values for a lower and an upper profile enclose the one for what lies between."""
    small, large = extended(sizes), lambda t: extended(sizes)(t) + extended(more)(t)
    between = lambda t: (small(t) + large(t)) // 2  # noqa: E731
    ends = sorted(dampened(gap, profile, 50, 18) for profile in (small, large))
    assert ends[0] <= dampened(gap, between, 50, 18) <= ends[1]


def test_dampened_asks_for_no_more_steps_than_it_takes():
    """Steps that were not asked for need not be known."""
    asked = []
    assert dampened(7, lambda t: asked.append(t) or t + 1, 10, 20) == Fraction(13, 4)
    assert asked == [0, 1, 2, 3]
    assert dampened(-(10**9), lambda t: asked.append(t) or 1, 3, 20) == -3 - Fraction(10**9 - 3, 20)
    assert asked == [0, 1, 2, 3, 0, 1, 2]


def random_tables(seed, number=12):
    rng = np.random.default_rng(seed)
    for _ in range(number):
        n, d = int(rng.integers(6, 60)), int(rng.integers(1, 5))
        points = rng.random((n, d)) if rng.random() < 0.5 else rng.integers(0, 4, (n, d)) / 4
        definition = OutlierDefinition(min_neighbors=int(rng.integers(1, 5)), radius=float(rng.uniform(0.05, 0.5)))
        yield np.ascontiguousarray(points), definition


DECAYS = [Fraction(1, 2), Fraction(9, 10), Fraction(49, 50)]


@pytest.mark.parametrize("decay", DECAYS)
@pytest.mark.parametrize("known", [Fraction(0), Fraction(2), Fraction(7, 2), Fraction(10**6)])
def test_glimpse_encloses_the_profile_whatever_is_known(decay, known):
    """What is known of other subspaces saves looks; the bounds stay bounds, beyond the last step looked at too."""
    for points, definition in random_tables(3):
        look, bound = glimpse(points, definition, decay, known, find_neighbors)
        size = profile_function(points, definition, 90)
        for step in range(90):
            assert look.lower(step) <= size(step) <= look.upper(step)
        assert look.most == most_moved(*points.shape, definition.min_neighbors)
        assert bound >= known


def plain_bound(points, definition, decay):
    """The maximum over all steps, by cores and with the cap of a release, which the profile reaches at last."""
    most = most_moved(*points.shape, definition.min_neighbors)
    seen = windows(points, definition, most + 1, "core", most)
    return max(
        decay**step * min(most, seen.turned(Change(step, step, step, step + 1)) + step + 1) for step in range(most)
    )


@pytest.mark.parametrize("decay", DECAYS)
def test_glimpse_gives_the_larger_of_its_bound_and_what_is_known(decay):
    for points, definition in random_tables(4, 6):
        own = plain_bound(points, definition, decay)
        for known in (Fraction(0), own / 2, own, own + Fraction(1, 10**9)):
            assert glimpse(points, definition, decay, known, find_neighbors)[1] == max(own, known)


@pytest.mark.parametrize("decay", DECAYS)
def test_glimpse_handed_on_gives_the_largest_bound_in_any_order(decay):
    """Claim C1, over the subspaces of one table."""
    points = np.random.default_rng(8).integers(0, 5, (40, 3)) / 5
    definition = OutlierDefinition(min_neighbors=2, radius=0.2)
    chosen = [np.ascontiguousarray(points[:, columns]) for columns in ([0], [1, 2], [0, 2], [0, 1, 2])]
    wanted = max(plain_bound(some, definition, decay) for some in chosen)
    for order in permutations(chosen):
        largest = Fraction(0)
        for some in order:
            largest = max(largest, glimpse(some, definition, decay, largest, find_neighbors)[1])
        assert largest == wanted


@pytest.mark.parametrize("d", [1, 2, 3])
def test_profile_function_is_the_local_profile(d):
    """Up to the cap, which in three columns is k more for a release."""
    points = np.random.default_rng(d).integers(0, 5, (30, d)) / 5
    definition = OutlierDefinition(min_neighbors=2, radius=0.3)
    size = profile_function(points, definition, 20)
    cap = global_bounds(30, d, 2)[1]
    assert [min(size(t), cap) for t in range(20)] == local_profile(points, definition, 20).tolist()


def test_glimpse_without_a_look_knows_the_cap_alone():
    points, definition = next(random_tables(5))
    look, bound = glimpse(points, definition, Fraction(1, 2), Fraction(10**6), find_neighbors)
    assert bound == 10**6
    assert look.upper(0) == look.upper(10**9) == look.most


def test_bound_of_a_glimpse_is_at_least_the_one_a_count_uses():
    """The core is coarser than depth and truss."""
    for points, definition in random_tables(6, 6):
        own = glimpse(points, definition, Fraction(9, 10), Fraction(0), find_neighbors)[1]
        assert own >= smooth_bound(points, definition, Fraction(9, 10))
