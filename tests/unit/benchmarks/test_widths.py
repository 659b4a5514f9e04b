"""The comparison with the first release."""

from fractions import Fraction
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from benchmarks import widths
from benchmarks.tables import Case, Named

TABLE = Named("mammography", Case(np.random.default_rng(3).random((60, 2)), 0.1, "small"))


@pytest.mark.parametrize(("factor", "at_one", "cleared"), [(0.7, 30, True), (0.9, 30, False), (0.7, 31, False)])
def test_run_holds_ratios_and_single_tables_against_their_bars(monkeypatch, factor, at_one, cleared):
    monkeypatch.setattr(widths, "_widths", lambda _: [(at_one / factor, at_one)] * 4)
    assert widths.run(Console(file=StringIO(), width=200), [TABLE]) is cleared


def test_widths_fall_as_epsilon_grows():
    for widest_first in zip(*widths._widths(TABLE), strict=True):
        assert list(widest_first) == sorted(widest_first, reverse=True)
        assert min(widest_first) > 0


def test_default_is_a_mechanism_with_this_epsilon():
    assert widths.default(TABLE.opened(), TABLE, Fraction(1, 2)).epsilon == Fraction(1, 2)
