"""Student's t noise: the closed form of its distribution function against the density."""

from fractions import Fraction
from math import inf, pi, sqrt

import pytest
from scipy.integrate import quad
from scipy.stats import t as student_t

from benchmarks.student import Student, student_below


def density(t):
    return 2 / (pi * sqrt(3)) * (1 + t * t / 3) ** -2


@pytest.mark.parametrize("t", [-1000, -20, -3, -1, 0, Fraction(1, 2), 2, 7, 50])
def test_student_below_is_the_integral_of_the_density(t):
    low, high = student_below(Fraction(t), 120)
    assert high - low <= 2
    assert low / 2**120 == pytest.approx(quad(density, -inf, float(t), epsabs=1e-14)[0], rel=1e-6, abs=1e-12)
    assert low / 2**120 == pytest.approx(student_t.cdf(float(t), 3), rel=1e-9)


def test_student_below_is_symmetric():
    for t in (Fraction(1, 3), Fraction(11)):
        (low, high), (mirrored_low, mirrored_high) = student_below(t, 90), student_below(-t, 90)
        assert low + mirrored_low <= 1 << 90 <= high + mirrored_high


def test_draw_with_a_bound_of_zero_is_the_center_itself(monkeypatch):
    monkeypatch.setattr("eremite.mechanisms.entropy.system_bits", None)  # no bit is drawn
    assert Student(Fraction(1)).draw(7, Fraction(0)) == 7


def test_half_width_holds_95_percent():
    noise = Student(Fraction(2))
    assert 2 * student_t.cdf(noise.half_width() * 2 / 1.512, 3) - 1 == pytest.approx(0.95, abs=1e-4)
