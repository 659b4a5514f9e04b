"""Whether a choice that is not the narrowest is seen, and what may be left out."""

from fractions import Fraction
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from benchmarks import choices
from benchmarks.tables import Case, Named
from benchmarks.widths import half_width
from eremite.mechanisms import GlobalLaplace, SmoothLaplace

TABLE = Named("uniform", Case(np.random.default_rng(3).random((60, 2)), 0.1, "small"))


def shown(epsilon):
    written = StringIO()
    cleared = choices.run(Console(file=written, width=220), [TABLE], [Fraction(epsilon)])
    return cleared, written.getvalue()


@pytest.mark.parametrize(("epsilon", "taken"), [("0.01", "smooth-laplace"), ("5", "global-laplace")])
def test_run_flags_a_choice_that_another_one_beats(monkeypatch, epsilon, taken):
    monkeypatch.setattr(choices, "_taken", lambda *_: taken)
    narrow = min((SmoothLaplace, GlobalLaplace), key=lambda made: half_width(TABLE, made(Fraction(epsilon))))
    name = {SmoothLaplace: "smooth-laplace", GlobalLaplace: "global-laplace"}[narrow]
    assert name != taken
    cleared, written = shown(epsilon)
    assert not cleared
    assert f"{name} narrower" in written


def test_run_is_content_with_the_narrowest(monkeypatch):
    monkeypatch.setattr(choices, "_taken", lambda *_: "smooth-laplace")
    cleared, written = shown("5")
    assert cleared
    assert "over" in written  # not every bound was computed


@pytest.mark.parametrize("decay", [Fraction(1, 2), Fraction(9, 10), Fraction(999, 1000)])
def test_least_bound_is_just_below_the_largest_of_the_least_profile(decay):
    largest = float(max(decay**step * (step + 1) for step in range(31)))
    assert largest * (1 - 1e-5) < choices.least_bound(31, decay) < largest
