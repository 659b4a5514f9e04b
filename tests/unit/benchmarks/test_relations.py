"""The comparison of both relations between neighbors."""

from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from benchmarks import relations
from benchmarks.tables import Case, Named

TABLE = Named("mammography", Case(np.random.default_rng(3).random((60, 2)), 0.1, "small"))


@pytest.mark.parametrize(("moved", "cleared"), [(27.0, True), (27.1, False)])
def test_run_holds_a_table_against_its_bar(monkeypatch, moved, cleared):
    monkeypatch.setattr(relations, "half_width", lambda _, neighbors: 30.0 if neighbors == "replace" else moved)
    assert relations.run(Console(file=StringIO(), width=200), [TABLE]) is cleared


def test_a_row_added_or_removed_takes_less_noise_than_one_replaced():
    assert 0 < relations.half_width(TABLE, "add-remove") < relations.half_width(TABLE, "replace")
