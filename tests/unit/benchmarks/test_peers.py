"""How the peers are asked."""

import numpy as np
import pytest

from benchmarks import peers
from benchmarks.tables import case, sheet


def test_spread_takes_rows_of_the_whole_table_once():
    assert np.array_equal(peers._spread(5, 5), range(5))
    assert np.array_equal(peers._spread(5, 9), range(5))
    taken = peers._spread(1_000, 30)
    assert len(np.unique(taken)) == 30
    assert (taken[0], taken[-1]) == (0, 999)


@pytest.mark.long  # imports
def test_outlier_timings_are_exact_on_the_rows_of_the_case():
    pytest.importorskip("pyod")
    pytest.importorskip("pykdtree")
    found = peers.outlier_timings(case(sheet(1_000, 6), "A"), 0.05)
    assert {peer.peer for peer in found} == {"cKDTree k=5", "pykdtree k=5", "PyOD KNN", "cKDTree ball"}
    assert [peer.wrong for peer in found] == [0, 0, 0, 0]
