"""How many rows of a window lie around one row, any row of the table: what the removal of a row can turn.

theory    here
C(P)      Around.most(P): the most rows of P within r of one row, itself not counted
"""

import numpy as np
from numpy.typing import NDArray

from eremite.engines import Neighbors
from eremite.engines.pair import kernel


class Around:
    """The neighbors of rows of small degree, listed when a window first asks for them."""

    __slots__ = ("_begins", "_counts", "_degrees", "_lists", "_neighbors", "_numbers")

    def __init__(self, neighbors: Neighbors, numbers: NDArray[np.intp]) -> None:
        self._neighbors, self._numbers = neighbors, numbers
        self._degrees = neighbors.degrees[numbers]
        self._begins = np.full(numbers.size, -1)  # where a list begins; -1 until it is asked for
        self._lists = np.empty(0, np.uint32)
        self._counts = np.zeros(neighbors.degrees.size, np.int32)

    def most(self, window: NDArray[np.intp]) -> int:
        """The most of these rows, given by their places among `numbers`, that have one neighbor in common."""
        self._list(window[self._begins[window] < 0])
        return int(_most_in_common(self._lists, self._begins[window], self._degrees[window], self._counts))

    def _list(self, window: NDArray[np.intp]) -> None:
        if window.size:
            lengths = self._degrees[window]
            self._begins[window] = self._lists.size + np.cumsum(lengths) - lengths
            self._lists = np.concatenate([self._lists, self._neighbors.of(self._numbers[window])])


@kernel
def _most_in_common(lists, begins, lengths, counts):
    """In how many of the lists the row is that is in the most; `counts` has a zero for each row, before and after."""
    most = 0
    for i in range(begins.size):
        for slot in range(begins[i], begins[i] + lengths[i]):
            counts[lists[slot]] += 1
            most = max(most, counts[lists[slot]])
    for i in range(begins.size):
        for slot in range(begins[i], begins[i] + lengths[i]):
            counts[lists[slot]] = 0
    return most
