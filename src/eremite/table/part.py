"""The rows that take part in a question, ordered by stratum."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from eremite.table.bounds import FloatArray

Places: TypeAlias = NDArray[np.intp] | None  # numbers of rows; None: all rows

_BLOCK = 1 << 18  # rows that one thread puts together at a time


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Part:
    """The rows that take part in a question; private.

    Attributes:
        points: (M, d) scaled rows, ordered by stratum, within a stratum in the order of the table; C-contiguous and
            read-only.
        starts: Stratum s is `points[starts[s] : starts[s + 1]]`. Only strata that have rows; [0, M] without strata.
        places: The number of each row in the table; None if these are all rows, in their order.
        strata: The code of each stratum present; [0] without strata.
    """

    points: FloatArray
    starts: NDArray[np.intp]
    places: Places
    strata: NDArray[np.int64]


def whole_part(points: FloatArray, places: Places = None) -> Part:
    """A part without strata."""
    starts = np.array([0, len(points)], dtype=np.intp)
    return _frozen(Part(points, starts, places, np.zeros(1, dtype=np.int64)))


def split(
    scaled: Sequence[FloatArray], places: Places, codes: NDArray[np.int64], radix: int, groups: int, within: bool
) -> list[Part]:
    """The rows at `places`, divided into groups by `codes // radix` and into strata by `codes % radix`.

    One stable sort by code, which is linear if there are few codes; every group is a slice of the sorted rows.
    """
    order = np.argsort(codes, kind="stable")
    codes, places = codes[order], order if places is None else places[order]
    points = gather(scaled, places)
    ends = np.searchsorted(codes, [group * radix for group in range(groups)]).tolist()
    parts = [(points[a:b], places[a:b], codes[a:b]) for a, b in pairwise([*ends, len(codes)])]
    if not within:
        return [whole_part(rows, numbers) for rows, numbers, _ in parts]
    return [_in_strata(rows, numbers, keys, group * radix) for group, (rows, numbers, keys) in enumerate(parts)]


def gather(scaled: Sequence[FloatArray], places: Places) -> FloatArray:
    """The rows at these places, over the given columns; on all cores, as memory costs time when it is first used."""
    size = len(scaled[0]) if places is None else len(places)
    points: FloatArray = np.empty((size, len(scaled)), dtype=np.float64)

    def fill(start: int) -> None:
        some = slice(start, start + _BLOCK)
        for place, column in enumerate(scaled):
            points[some, place] = column[some if places is None else places[some]]

    if size <= _BLOCK:
        fill(0)
    else:
        with ThreadPoolExecutor() as pool:
            list(pool.map(fill, range(0, size, _BLOCK)))
    return points


def _in_strata(points: FloatArray, places: NDArray[np.intp], codes: NDArray[np.int64], first: int) -> Part:
    new = np.append(np.ones(min(len(codes), 1), dtype=np.bool_), codes[1:] != codes[:-1])
    firsts = np.flatnonzero(new)
    strata = codes[firsts].astype(np.int64) - first
    return _frozen(Part(points, np.append(firsts, len(codes)), places, strata))


def _frozen(part: Part) -> Part:
    for array in (part.points, part.starts, part.places, part.strata):
        if array is not None:
            array.flags.writeable = False
    return part
