"""Engines count neighbors; every engine gives the same integers (`engines.proof.md`).

`local` counts on this machine's cores. An engine is a function of type `FindNeighbors`, or `CountNeighbors` where only
degrees are wanted; the contract all of them pass is tests/contracts/test_count_neighbors.py.
"""

from eremite.engines.candidates import count_rows_near
from eremite.engines.growing import Growing
from eremite.engines.local import CountNeighbors, FindNeighbors, Neighbors, count_neighbors, find_neighbors
from eremite.engines.low import CoreRows, LowRows, Rows, RowsElsewhere, Slots, d_of, low_rows
from eremite.engines.near_in_sets import count_rows_near_in_sets

__all__ = [
    "CoreRows",
    "CountNeighbors",
    "FindNeighbors",
    "Growing",
    "LowRows",
    "Neighbors",
    "Rows",
    "RowsElsewhere",
    "Slots",
    "count_neighbors",
    "count_rows_near",
    "count_rows_near_in_sets",
    "d_of",
    "find_neighbors",
    "low_rows",
]
