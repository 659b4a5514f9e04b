from datetime import UTC, date, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eremite.errors import InputError
from eremite.table import Bounds
from tests.refusals import refused

finite = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def some_bounds(draw: st.DrawFn) -> Bounds:
    low, high = sorted([draw(finite), draw(finite)])
    try:
        return Bounds(low, high)
    except InputError:
        return Bounds(low / 4, low / 4 + 1.0) if abs(low) < 1e15 else Bounds(0.0, 1.0)


@given(some_bounds(), st.lists(finite, min_size=1))
def test_scaling_stays_in_the_unit_interval_and_keeps_order(bounds: Bounds, values: list[float]) -> None:
    scaled = bounds.scale(np.sort(np.array(values)))
    assert np.all((scaled >= 0.0) & (scaled <= 1.0))
    assert np.all(np.diff(scaled) >= 0.0)
    assert not np.signbit(scaled).any()


@given(some_bounds(), st.lists(finite, min_size=1, max_size=40), st.integers(0, 39))
def test_scaling_of_a_row_ignores_the_other_rows(bounds: Bounds, values: list[float], place: int) -> None:
    place %= len(values)
    together = bounds.scale(np.array(values))[place : place + 1]
    alone = bounds.scale(np.array(values[place : place + 1]))
    assert together.tobytes() == alone.tobytes()


@given(some_bounds(), finite)
def test_scaling_clips_and_follows_the_formula(bounds: Bounds, value: float) -> None:
    clipped = min(max(value, bounds.min), bounds.max)
    expected = (clipped - bounds.min) / (bounds.max - bounds.min)
    assert bounds.scale(np.array([value]))[0] == expected


def test_scaling_reaches_both_ends() -> None:
    assert Bounds(10, 60).scale(np.array([-1e300, 10, 35, 60, 1e300])).tolist() == [0, 0, 0.5, 1, 1]


def test_scaling_leaves_its_argument_alone() -> None:
    values = np.array([1.0, 2.0])
    Bounds(0, 4).scale(values)
    assert values.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (1, 1, "below"),
        (2, 1, "below"),
        (float("nan"), 1, "min must be finite"),
        (0, float("inf"), "max must be finite"),
        (0, 10**400, "max must be finite"),
        (-1.7e308, 1.7e308, "too far apart"),
        (True, False, "min true must be below max false"),
        (0, True, "both be numbers"),
        (date(2020, 1, 1), 3, "both be numbers"),
        (date(2020, 1, 2), date(2020, 1, 1), "min 2020-01-02 must be below max 2020-01-01"),
        (datetime(2020, 1, 1, tzinfo=UTC), date(2021, 1, 1), "without a time zone"),
        (np.datetime64("NaT"), date(2021, 1, 1), "min must be a date"),
        ("0", "1", "min must be a number"),
        (None, 1, "min must be a number"),
    ],
)
def test_bounds_are_valid_from_birth(low: float, high: float, words: str) -> None:
    assert words in refused(lambda: Bounds(low, high))


def test_bounds_are_frozen_floats() -> None:
    bounds = Bounds(np.int64(1), 2)
    assert (type(bounds.min), type(bounds.max)) == (float, float)
    with pytest.raises(AttributeError):
        bounds.min = 0.0  # type: ignore[misc]


def test_negative_zero_is_zero():
    """They scale alike, so a question about either is the same question."""
    assert repr(Bounds(min=-0.0, max=1)) == repr(Bounds(min=0, max=1))
