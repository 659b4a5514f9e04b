"""Counts compared with each other: leads, the h-th smallest of them and its bounds, against the definitions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eremite.sensitivity import Comparison, Glimpse, dampened, lead

STEPS = 60


def random_profile(rng):
    """A profile up to its cap, from where on it stays: A^(t) is t + 1 or more and never falls."""
    most = int(rng.integers(1, 40))
    inside = np.sort(rng.integers(0, most + 1, STEPS))
    return most, np.minimum(most, inside + np.arange(1, STEPS + 1)), inside


class Family:
    """Counts, profiles and glimpses of them; notes which profiles were looked at."""

    def __init__(self, seed, size=12, spread=400):
        rng = np.random.default_rng(seed)
        self.counts = rng.integers(0, spread, size).tolist()
        self.most, self.profiles, inside = zip(*(random_profile(rng) for _ in range(size)), strict=True)
        ceilings = [some[: rng.integers(0, STEPS)] + rng.integers(0, 4) for some in inside]
        known = [
            np.minimum(most, some + np.arange(1, some.size + 1)) for most, some in zip(self.most, ceilings, strict=True)
        ]
        self.seen = [Glimpse(*fact) for fact in zip(self.counts, self.most, known, strict=True)]
        self.looked = []

    def look(self, i, steps):
        """Answers for so many steps."""
        self.looked.append((i, steps))

        def profile(step):
            assert step < steps
            return int(self.profiles[i][step])

        return profile

    def size(self, i):
        return lambda step: int(self.profiles[i][min(step, STEPS - 1)])

    def leads(self, i, limit):
        return sorted(
            lead(count - other, self.size(i), self.size(j), limit, most + self.most[j])
            for count, most in [(self.counts[i], self.most[i])]
            for j, other in enumerate(self.counts)
            if j != i
        )


@given(st.integers(-300, 300), st.integers(0, 50), st.integers(1, 80))
@settings(max_examples=200)
def test_lead_is_the_dampened_gap_and_turns_with_its_sign(gap, seed, limit):
    family = Family(seed, 2)
    first, second, most = family.size(0), family.size(1), sum(family.most)
    steps = lead(gap, first, second, limit, most)
    assert lead(-gap, second, first, limit, most) == -steps
    assert (steps > 0, steps < 0) == (gap > 0, gap < 0)
    wanted = dampened(-abs(gap), lambda step: first(step) + second(step), limit, most)
    assert abs(steps) == -wanted
    assert steps < lead(gap + 1, first, second, limit, most)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("spread", [5, 60, 3000])
def test_comparison_finds_the_hth_smallest_lead_within_its_bounds(seed, spread):
    for h in (1, 2, 5, 11):
        for limit in (1, 7, 1000):
            family = Family(seed, 12, spread)
            comparison = Comparison(family.seen, h, limit, family.look)
            bounds = comparison.bounds()
            for i in np.random.default_rng(seed).permutation(12).tolist():
                wanted = family.leads(i, limit)[h - 1]
                assert bounds[i][0] <= wanted <= bounds[i][1]
                assert comparison.exact(i) == wanted


def test_bounds_are_bounds_when_some_profiles_are_known():
    for seed in range(20):
        family = Family(seed)
        comparison = Comparison(family.seen, 2, 1000, family.look)
        before = comparison.bounds()
        known = comparison.exact(seed % 12)
        assert known == family.leads(seed % 12, 1000)[1]
        for i, (least, most) in enumerate(comparison.bounds()):
            assert before[i][0] <= least <= family.leads(i, 1000)[1] <= most <= before[i][1]


@pytest.mark.parametrize("h", [11, 12, 13])
def test_comparison_that_names_all_takes_the_lead_over_the_last(h):
    """So that the order in which they are drawn tells something."""
    family = Family(1)
    comparison = Comparison(family.seen, h, 10, family.look)
    assert [comparison.exact(i) for i in range(12)] == [family.leads(i, 10)[-1] for i in range(12)]


def test_comparison_of_one_count_has_nothing_to_compare():
    family = Family(1, 1)
    comparison = Comparison(family.seen, 1, 10, family.look)
    assert (comparison.bounds(), comparison.exact(0), family.looked) == ([(0, 0)], 0, [])


def test_score_tells_when_a_count_leaves_the_h_largest_and_when_it_enters_them():
    """Claim U5: what t rows can do to all counts at once changes nothing before that many steps, and does then."""
    for seed in range(20):
        family = Family(seed)
        span = np.concatenate([np.zeros((12, 1), int), np.cumsum(family.profiles, axis=1)], axis=1)
        counts = np.array(family.counts)[:, None]
        low, high = counts - span, counts + span
        for h in (1, 3):
            comparison = Comparison(family.seen, h, 1000, family.look)
            for i in range(12):
                score, others = comparison.exact(i), np.arange(12) != i
                for t in range(STEPS):
                    overtaken = np.count_nonzero(high[others, t] >= low[i, t]) >= h
                    within = np.count_nonzero(low[others, t] > high[i, t]) < h
                    assert overtaken == (t >= score)
                    assert within == (t >= -score)


def test_comparison_looks_at_few_profiles_where_bounds_tell():
    """A count far ahead of all others but one: who needs more steps is not looked at."""
    family = Family(3, 12)
    family.seen = [Glimpse(count, 40, np.empty(0, dtype=int)) for count in [900, 880, *range(10)]]
    comparison = Comparison(family.seen, 1, 1000, family.look)
    comparison.exact(0)
    assert {i for i, _ in family.looked} == {0, 1}
    assert comparison.bounds()[0][0] >= 0


def test_profile_is_computed_for_few_steps_first_and_once_for_each_number_of_them():
    family = Family(4, 2, 10)
    family.profiles = [np.arange(1, STEPS + 1)] * 2
    family.seen = [Glimpse(count, 50, np.empty(0, dtype=int)) for count in (100, 0)]
    comparison = Comparison(family.seen, 1, 1000, family.look)
    assert comparison.exact(0) == 9 + Fraction(10, 20)
    assert comparison.exact(1) == -comparison.exact(0)
    assert family.looked == [(0, 8), (1, 8), (0, 32), (1, 32)]
