"""Attack the number of rows: all pairs of small numbers that one person can bring about, with the exact law."""

from fractions import Fraction

import numpy as np
import pytest

from eremite.queries import RowsQuery
from tests.attacks.laws import MARGIN
from tests.private_number import table_of_private_number

MOST = 60  # answers above count as this one


def law(rate, rows, largest=MOST):
    """P(0), P(1), ... of the number of rows with discrete Laplace noise, clamped to [0, largest]."""
    a, z = np.exp(-float(rate)), np.arange(-3 * MOST, 3 * MOST)
    answers = np.clip(rows + z, 0, largest)
    return np.bincount(answers, weights=a ** np.abs(z) * (1 - a) / (1 + a), minlength=MOST + 1)


def withstands(epsilon, m, rate, clamped=False):
    """Whether no answer is more than e^epsilon times as likely with up to m rows more or less."""
    pairs = [(n, other) for n in range(9) for other in range(max(0, n - m), n + m + 1)]
    known = {n: law(rate, n, n if clamped else MOST) for n in range(9 + m)}
    factor = np.exp(float(epsilon)) * MARGIN
    return all((known[here] <= factor * known[there]).all() for here, there in pairs)


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(3)])
@pytest.mark.parametrize("m", [1, 3])
def test_number_of_rows_withstands_rows_that_come_and_go(epsilon, m):
    table = table_of_private_number(np.zeros((5, 1)), {"a": (0, 1)}, rows_per_person=m)
    rate = RowsQuery(epsilon=epsilon).plan(table).noise.epsilon
    assert withstands(epsilon, m, rate)
    assert not withstands(epsilon, m, rate * Fraction(11, 10))  # nothing to spare, so the attack has teeth
    assert not withstands(epsilon, m, rate, clamped=True)  # at the number of rows, as a count of outliers is
