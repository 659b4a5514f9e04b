import itertools

import numpy as np
import pytest

from eremite import InputError
from eremite.sensitivity import global_bounds
from tests.definition import outliers_by_definition


def test_global_bounds_are_the_papers_with_proved_kissing_numbers():
    assert global_bounds(10_000, 2, 5) == (21, 31)
    assert global_bounds(10_000, 8, 5) == (81, 1201)
    assert global_bounds(10, 8, 5) == (6, 10)
    assert global_bounds(0, 1, 1) == (0, 0)
    assert global_bounds(5, 8, 5) == (0, 5)  # few rows are outliers, wherever they are
    assert global_bounds(10**9, 10_000, 3)[1] == 10**9


@pytest.mark.parametrize(("d", "k"), [(1, 1), (1, 3), (2, 1), (2, 2), (3, 1)])
def test_lower_bound_is_reached_by_the_cross(d, k):
    """Claim G1: k rows on each of the 2d points around the origin, and one row there that leaves."""
    sites = np.concatenate([np.eye(d), -np.eye(d)]).repeat(k, axis=0)
    before = np.vstack([sites, np.zeros((1, d))])
    after = np.vstack([sites, np.full((1, d), 100.0)])
    radius = 1 / np.sqrt(d)
    assert outliers_by_definition(before, k, radius * (1 + 1e-12)) == 0
    moved = outliers_by_definition(after, k, radius * (1 + 1e-12))
    assert moved == global_bounds(len(before), d, k)[0] == 2 * d * k + 1


@pytest.mark.parametrize(("k", "n"), itertools.product((1, 2, 3), (1, 2, 3, 4, 5)))
def test_bounds_hold_for_every_pair_on_a_line_and_the_lower_one_is_reached(k, n):
    tables = {
        rows: outliers_by_definition(np.array(rows, float)[:, None], k, 1.0)
        for rows in itertools.combinations_with_replacement(range(9), n)
    }
    most = 0
    for rows, q in tables.items():
        for i, value in itertools.product(range(n), range(9)):
            other = tuple(sorted((*rows[:i], *rows[i + 1 :], value)))
            most = max(most, abs(q - tables[other]))
    lower, upper = global_bounds(n, 1, k)
    assert lower == most <= upper


@pytest.mark.parametrize(("n", "d", "k"), [(-1, 2, 1), (1.0, 2, 1), (5, 0, 1), (5, 2, 0), (5, 2, True)])
def test_global_bounds_refuse_what_is_no_count(n, d, k):
    with pytest.raises(InputError, match="whole number"):
        global_bounds(n, d, k)
