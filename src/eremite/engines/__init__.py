"""Engines count neighbors; every engine gives the same integers (`engines.proof.md`).

`local` counts on this machine's cores. An engine is a function of type `CountNeighbors`; the contract all of them
pass is tests/contracts/test_count_neighbors.py.
"""

from eremite.engines.candidates import count_rows_near
from eremite.engines.local import CountNeighbors, count_neighbors

__all__ = ["CountNeighbors", "count_neighbors", "count_rows_near"]
