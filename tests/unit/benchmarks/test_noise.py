"""The standard deviation from half-widths, against closed forms."""

from fractions import Fraction
from math import sqrt

import pytest

from benchmarks.noise import deviation
from benchmarks.student import Student
from eremite.mechanisms import GlobalLaplace, SmoothLaplace


@pytest.mark.parametrize(
    ("mechanism", "wanted"),
    [(GlobalLaplace(Fraction(1, 5)), 5 * sqrt(2)), (Student(Fraction(1)), sqrt(3) * 1.512)],
)
def test_deviation_is_that_of_the_closed_form(mechanism, wanted):
    assert deviation(mechanism) == pytest.approx(wanted, rel=1e-4)


def test_deviation_of_the_default_is_above_that_of_laplace_noise():
    assert sqrt(2) < deviation(SmoothLaplace(Fraction(1))) < 3.5
