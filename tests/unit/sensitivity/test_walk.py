"""A walk that is narrowed look by look, against the dampened count of the whole profile."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from eremite.sensitivity import dampened
from eremite.sensitivity.walk import Walk, steps_over

profiles = st.lists(st.integers(1, 40), min_size=1, max_size=30).map(sorted)


@given(profiles, st.integers(0, 900), st.integers(0, 9), st.data())
def test_bounds_hold_and_meet_at_the_dampened_count(sizes, gap, room, data):
    """Whatever is known before, a profile of `limit` steps is looked at a few times for each step at most."""
    most, limit = sizes[-1] + room, len(sizes)
    low = np.minimum(sizes, sorted(data.draw(st.lists(st.integers(1, 5), min_size=limit, max_size=limit))))
    looked = []

    def look(step, floor):
        looked.append(step)
        return max(sizes[step], floor)

    walk = Walk(gap, low, np.full(limit, most), most, look)
    wanted = -dampened(-gap, sizes.__getitem__, limit, most)
    least, longest = walk.bounds()
    while least < longest:
        assert least <= wanted <= longest
        walk.narrow()
        least, longest = walk.bounds()
    assert least == wanted == longest
    assert len(looked) <= 8 * limit
    walk.narrow()
    assert walk.bounds() == (wanted, wanted)


def test_few_looks_tell_that_a_walk_is_long():
    """A profile of 10 at every step: 54 is the middle between 4 and 104 steps, and 54 times 37 is below 2000."""
    looked = []

    def look(step, floor):
        looked.append((step, floor))
        return max(10, floor)

    walk = Walk(2000, np.ones(100, np.int64), np.full(100, 500), 500, look)
    walk.narrow()
    assert walk.bounds()[0] >= 54
    assert looked == [(53, 37)]


def test_sums_of_large_caps_do_not_wrap():
    """As where rows come and go in dozens of columns: the cap is then as large as 64-bit sums can bear only once."""
    large = np.full(16, 2**61)
    assert steps_over(108, large, 2**61) == Fraction(108, 2**61)
    walk = Walk(108, np.ones(16, np.int64), large, 2**61, lambda step, floor: max(9, floor))
    while len(set(walk.bounds())) > 1:
        least, most = walk.bounds()
        assert least <= 12 <= most
        walk.narrow()
    assert walk.bounds() == (12, 12)
