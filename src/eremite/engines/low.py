"""What the bound on a count needs of a table: its rows of low degree, and which rows are near them.

It does not matter where the other rows are. In memory, neighbors are found by `find_neighbors`; tables elsewhere give
the same rows, the same degrees and the same crowds (`eremite.tiles`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from eremite.engines.local import FindNeighbors, Neighbors, find_neighbors


class Lists(NamedTuple):
    """Lists of names, which are numbers, one after the other."""

    members: NDArray[np.uint32]
    begins: NDArray[np.int64]  # where each of the lists begins
    lengths: NDArray[np.int64]
    names: int  # all names are below it


@dataclass(frozen=True, slots=True, eq=False)
class LowRows:
    """The rows of a table, or of a stratum of it, with fewer neighbors than a cap. As private as the rows.

    `lists(places)` names the rows around each of these low rows, each once; equal rows may share a name. For every set
    of low rows that has all copies of its rows, the sets of those that have a name in common are, but for copies, the
    sets of those around one row of the table, itself not counted.
    """

    outliers: int  # how many rows have fewer than k neighbors
    points: NDArray[np.float64]
    degrees: NDArray[np.int64]
    lists: Callable[[NDArray[np.intp]], Lists]


@dataclass(frozen=True, slots=True, eq=False)
class CoreRows:
    """Rows with k neighbors or more, those that may be in a crowd: of each stratum their points and their degrees,
    which are counted to the end; and how many rows there are in all, core or not, in a crowd or not. Private."""

    points: list[NDArray[np.float64]]
    degrees: list[NDArray[np.int64]]
    rows: int


class Slots(Protocol):
    """Sets of places, each in a slot with others. It can be pickled, looks at one row at a time, and is public."""

    @property
    def size(self) -> int:
        """How many slots there are."""

    def sums(
        self, points: NDArray[np.float64], strata: NDArray[np.int64], degrees: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Slots, ascending, and what rows with these degrees weigh in each; 0 in all others."""

    def holding(
        self, points: NDArray[np.float64], strata: NDArray[np.int64], marked: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Which rows have a place in one of the marked slots."""

    def narrowed(
        self, points: NDArray[np.float64], strata: NDArray[np.int64], degrees: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Which of these rows may be in a set that holds too much, if they have these degrees at least."""

    def heavy(self, sums: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which slots may have a set that holds too much, by what all rows weigh in them."""


class RowsElsewhere(Protocol):
    """The rows that take part in a question, in a place that counts them itself."""

    @property
    def d(self) -> int:
        """How many columns count."""

    @property
    def strata(self) -> int:
        """How many strata there may be; their codes are below. Public."""

    def low(self, radius: float, k: int, cap: int) -> tuple[LowRows, ...]:
        """The rows with fewer than `cap` neighbors of each stratum that has some; the outliers have fewer than k."""

    def core(self, radius: float, k: int, slots: Slots) -> CoreRows:
        """The core rows that may be in a crowd, as the slots tell."""

    def with_fewer(self, k: int, radii: tuple[float, ...]) -> list[int]:
        """How many rows have fewer than k neighbors at each radius."""


#: The rows that take part in a question: C-contiguous points, or a place that has them.
Rows = NDArray[np.float64] | RowsElsewhere


def low_rows(
    points: NDArray[np.float64], radius: float, k: int, cap: int, find: FindNeighbors = find_neighbors
) -> LowRows:
    """The low rows of points in memory."""
    neighbors = find(points, radius, cap)
    low = np.flatnonzero(neighbors.degrees < cap)
    degrees = neighbors.degrees[low]
    lists = ListsInMemory(neighbors, low)
    return LowRows(int(np.count_nonzero(degrees < k)), points[low], degrees, lists)


class ListsInMemory:
    """The neighbors of low rows, listed when somebody first asks for them; their names are the numbers of rows."""

    __slots__ = ("_begins", "_degrees", "_lists", "_neighbors", "_numbers")

    def __init__(self, neighbors: Neighbors, numbers: NDArray[np.intp]) -> None:
        self._neighbors, self._numbers = neighbors, numbers
        self._degrees = neighbors.degrees[numbers]
        self._begins = np.full(numbers.size, -1)  # where a list begins; -1 until it is asked for
        self._lists = np.empty(0, np.uint32)

    def __call__(self, places: NDArray[np.intp]) -> Lists:
        unknown = places[self._begins[places] < 0]
        if unknown.size:
            lengths = self._degrees[unknown]
            self._begins[unknown] = self._lists.size + np.cumsum(lengths) - lengths
            self._lists = np.concatenate([self._lists, self._neighbors.of(self._numbers[unknown])])
        return Lists(self._lists, self._begins[places], self._degrees[places], self._neighbors.degrees.size)


def d_of(rows: Rows) -> int:
    """How many columns count."""
    return int(rows.shape[1]) if isinstance(rows, np.ndarray) else rows.d
