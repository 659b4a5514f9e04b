"""Which rows of a window lie around one row, any row of the table: what the removal of a row can turn.

theory    here
C(P)      Around.most(P): the most rows of P within r of one row, itself not counted
"""

from collections.abc import Iterator

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
        return int(_most_in_common(*self._listed(window), self._counts))

    def crowds(self, window: NDArray[np.intp], floor: int) -> Iterator[NDArray[np.intp]]:
        """The rows of the window around each row that has more than `floor` of them, the largest crowd first."""
        starts, members = _crowds(*self._listed(window), self._counts, floor)
        sizes = np.diff(starts)
        for crowd in np.argsort(-sizes, kind="stable"):
            yield window[members[starts[crowd] : starts[crowd + 1]]]

    def _listed(self, window: NDArray[np.intp]) -> tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.int64]]:
        """All lists, and where those of the window begin and how long they are."""
        unknown = window[self._begins[window] < 0]
        if unknown.size:
            lengths = self._degrees[unknown]
            self._begins[unknown] = self._lists.size + np.cumsum(lengths) - lengths
            self._lists = np.concatenate([self._lists, self._neighbors.of(self._numbers[unknown])])
        return self._lists, self._begins[window], self._degrees[window]


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


@kernel
def _crowds(lists, begins, lengths, counts, floor):
    """For each row that is in more than `floor` of the lists, in which ones; `counts` as in `_most_in_common`."""
    entries = 0
    for i in range(begins.size):
        entries += lengths[i]
        for slot in range(begins[i], begins[i] + lengths[i]):
            counts[lists[slot]] += 1
    starts = np.zeros(entries // (floor + 1) + 2, np.int64)
    crowds = 0
    for i in range(begins.size):
        for slot in range(begins[i], begins[i] + lengths[i]):
            if counts[lists[slot]] > floor:
                starts[crowds + 1] = starts[crowds] + counts[lists[slot]]
                crowds += 1
                counts[lists[slot]] = -crowds  # from here on, the number of the crowd
    members = np.empty(starts[crowds], np.int64)
    places = starts[:crowds].copy()
    for i in range(begins.size):
        for slot in range(begins[i], begins[i] + lengths[i]):
            crowd = -counts[lists[slot]] - 1
            if crowd >= 0:
                members[places[crowd]] = i
                places[crowd] += 1
    for i in range(begins.size):
        for slot in range(begins[i], begins[i] + lengths[i]):
            counts[lists[slot]] = 0
    return starts[: crowds + 1], members
