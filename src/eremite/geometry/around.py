"""Which rows of a window lie around one row, any row of the table: what the removal of a row can turn.

theory    here
C(P)      Around.most(P): the most rows of P within r of one row, itself not counted
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from eremite.engines import LowRows
from eremite.engines.pair import kernel


class Around:
    """Crowds of low rows, by the names of the rows around them."""

    __slots__ = ("_counts", "_low")

    def __init__(self, low: LowRows) -> None:
        self._low = low
        self._counts = np.zeros(0, np.int32)  # a zero for each name, between two looks

    def most(self, window: NDArray[np.intp]) -> int:
        """The most of these low rows, given by their places, that have one neighbor in common."""
        return int(_most_in_common(*self._listed(window)))

    def crowds(self, window: NDArray[np.intp], floor: int) -> Iterator[NDArray[np.intp]]:
        """The rows of the window around each row that has more than `floor` of them, the largest crowd first."""
        starts, members = _crowds(*self._listed(window), floor)
        sizes = np.diff(starts)
        for crowd in np.argsort(-sizes, kind="stable"):
            yield window[members[starts[crowd] : starts[crowd + 1]]]

    def _listed(
        self, window: NDArray[np.intp]
    ) -> tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
        lists = self._low.lists(window)
        if self._counts.size < lists.names:
            self._counts = np.zeros(lists.names, np.int32)
        return lists.members, lists.begins, lists.lengths, self._counts


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
