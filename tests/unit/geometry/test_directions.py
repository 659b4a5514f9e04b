from fractions import Fraction

import numpy as np
import pytest
from scipy.special import eval_gegenbauer

from eremite.geometry import kissing_number_bound
from eremite.geometry.directions import _COSINE, _ROOTS, _expanded, directions_bound, proved_by


def test_bounds_are_those_of_levenshtein_and_never_below_the_kissing_numbers():
    assert [directions_bound(d) for d in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 24)] == [
        2, 6, 12, 26, 48, 84, 142, 240, 384, 605, 196560,
    ]  # fmt: skip
    bounds = [directions_bound(d) for d in range(1, 60)]
    assert bounds == sorted(bounds)
    assert all(bounds[d - 1] >= kissing_number_bound(d) for d in range(1, 60))
    assert all(bounds[d - 1] <= 1.15 * kissing_number_bound(d) for d in range(1, 60))


@pytest.mark.parametrize("d", [4, 8, 16, 24])
def test_expansion_is_the_polynomial(d):
    """Against SciPy's Gegenbauer polynomials, at a few places."""
    polynomial = [Fraction(3), Fraction(-1, 2), Fraction(0), Fraction(5), Fraction(1, 7)]
    found = _expanded(polynomial, d)
    for t in (-1.0, -0.3, 0.2, 0.9):
        half = (d - 2) / 2
        values = [eval_gegenbauer(j, half, t) / eval_gegenbauer(j, half, 1.0) for j in range(5)]
        assert sum(float(c) * v for c, v in zip(found, values, strict=True)) == pytest.approx(
            sum(float(c) * t**i for i, c in enumerate(polynomial))
        )


@pytest.mark.parametrize("d", sorted(_ROOTS))
def test_polynomials_are_not_positive_where_two_directions_may_meet(d):
    """From their form: every root but the cosine and -1 is double, all are between -1 and the cosine."""
    with_minus_one, roots = _ROOTS[d]
    assert all(-(10**6) <= root <= _COSINE * 10**6 for root in roots)
    t = np.linspace(-1, 0.5, 1_000)
    values = (t - 0.5) * np.prod([(t - root / 1e6) ** 2 for root in roots], axis=0) * (t + 1 if with_minus_one else 1)
    assert (values <= 0).all()


def test_polynomials_that_prove_nothing_are_refused():
    with pytest.raises(ArithmeticError, match="proves nothing"):
        proved_by([_COSINE, Fraction(9, 10), Fraction(9, 10)], 5)
