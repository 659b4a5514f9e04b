"""What claim S4 takes for granted about the logarithms and exponentials of this machine."""

from fractions import Fraction
from math import exp, log, log1p

import numpy as np
from flint import arb, ctx

from eremite.sensitivity.smooth import _fall, _log

_MOST_WRONG = Fraction(1, 10**14)


def is_right(found, exact):
    """Within 1e-14 of itself; certain, as both ends of the enclosure are asked."""
    return bool(abs(arb(found) - exact) <= abs(exact) * arb(_MOST_WRONG.numerator) / _MOST_WRONG.denominator)


def test_logarithms_and_exponentials_are_right_to_fourteen_digits():
    rng = np.random.default_rng(0)
    with ctx.workprec(200):
        for x in (2.0 ** rng.uniform(-130, 130, 300)).tolist():
            assert is_right(log(x), arb(x).log())
            assert is_right(float(np.log(x)), arb(x).log())
        whole = np.arange(2, 2_000, dtype=np.int64)
        for n, found in zip(whole.tolist(), np.log(whole).tolist(), strict=True):
            assert is_right(found, arb(n).log())
        for x in (2.0 ** rng.uniform(-60, -1, 300)).tolist():
            assert is_right(log1p(-x), arb(-x).log1p())
        for x in rng.uniform(-30, 600, 300).tolist():
            assert is_right(exp(x), arb(x).exp())
            assert is_right(float(np.exp(x)), arb(x).exp())


def test_rates_and_logarithms_of_long_fractions_are_right_to_fourteen_digits():
    with ctx.workprec(400):
        for decay in (Fraction(1, 3), Fraction(2**60 - 1, 2**60), Fraction(9_999_999, 10_000_000), Fraction(7, 8)):
            exact = (arb(decay.numerator) / decay.denominator).log()
            assert is_right(_fall(decay), -exact)
            for step in (1, 50, 3_000):
                value = decay**step * 12_345
                assert abs(_log(value) - float(exact * step + arb(12_345).log())) < 1e-11 * max(1, abs(_log(value)))
