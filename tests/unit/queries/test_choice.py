from fractions import Fraction
from math import log

import pytest

from eremite import Privacy
from eremite.queries.choice import NAMES, by_name, chosen, is_pure
from eremite.sensitivity import most_moved, smallest_bound


def pure(epsilon):
    return Privacy(Fraction(epsilon))


def test_names_are_exactly_these():
    assert NAMES == ("auto", "smooth-laplace", "global-laplace", "gaussian", "gaussian-paper", "global-gaussian")
    assert [name for name in NAMES[1:] if is_pure(name)] == ["smooth-laplace", "global-laplace"]


@pytest.mark.parametrize(
    ("epsilon", "n", "d", "name"),
    [
        ("0.2", 20_000, 8, "smooth-laplace"),
        ("1", 20_000, 2, "smooth-laplace"),
        ("0.2", 3, 2, "global-laplace"),  # one row moves at most 3, a smooth bound is hardly smaller
        ("0.001", 20_000, 2, "global-laplace"),  # a bound that may change so little is the global one
        ("20", 2, 1, "smooth-laplace"),
    ],
)
def test_global_noise_is_chosen_only_where_no_table_suits_smooth_noise(epsilon, n, d, name):
    assert chosen(pure(epsilon), most_moved(n, d, 2 if n > 2 else 1)) == name


@pytest.mark.parametrize("most", [2, 13, 100, 1206])
@pytest.mark.parametrize("epsilon", ["0.001", "0.03", "0.1", "0.5", "3", "20"])
def test_choice_is_the_narrower_interval(epsilon, most):
    """Is less than 5 % of smooth noise, at its least bound, beyond the ln 20 GS / epsilon of Laplace noise?"""
    noise, width = by_name("smooth-laplace", pure(epsilon)), log(20) / float(epsilon) * most
    narrower = noise.tail(Fraction(width) / smallest_bound(most, noise.decay)[1]) < 0.05
    assert chosen(pure(epsilon), most) == ("smooth-laplace" if narrower else "global-laplace")


def test_delta_opens_the_choice_to_gaussian_noise():
    privacy = Privacy(Fraction(1, 1000), Fraction(1, 2))
    assert chosen(privacy, 100) in ("gaussian", "global-gaussian")
    assert chosen(Privacy(Fraction(1, 1000)), 100) == "global-laplace"


def test_gaussian_noise_that_does_not_hold_is_passed_over():
    """The theorem of global-gaussian fails for a large epsilon; auto still answers."""
    assert chosen(Privacy(Fraction(20), Fraction(1, 10**6)), 100) == "smooth-laplace"
