"""The verdict on a private count beside an exact one and the peers."""

import pytest
from rich.table import Table as Grid

from benchmarks import wide
from benchmarks.peers import Timing

WRONG = Timing("dbscan", "outliers", 0.1, False, 2)


@pytest.mark.parametrize(
    ("exact", "private", "peer", "cleared"),
    [(1, 3.9, 20, True), (1, 4.1, 100, False), (1, 3, 14, False)],
)
def test_row_is_met_only_within_both_bars_and_beside_exact_peers(exact, private, peer, cleared):
    grid, peers = Grid(*["x"] * 14), [WRONG, Timing("PyOD KNN", "outliers", peer, True, 0)]
    assert wide._row(grid, wide.sparse(100), exact, private, peers) is cleared
    assert [next(iter(column.cells)) for column in grid.columns][7].startswith("PyOD KNN")


def test_medians_follow_the_order_of_the_works():
    assert len(wide._medians([lambda: None, lambda: sum(range(10**5))], runs=3)) == 2
