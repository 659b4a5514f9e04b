"""Which rows visit which tiles: the boxes around the rows of tiles, in a tree.

A row visits a tile if one of the tile's rows may be its neighbor (E4). The tree is that of the cuts, so a row looks at
few boxes however many tiles there are.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from eremite.engines import workers
from eremite.engines.pair import gap_to_box, kernel
from eremite.table.bounds import FloatArray

_ROWS_AT_LEAST = 1 << 14  # of what one thread looks at


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """The boxes of tiles, numbered as in a heap: node i has the children 2i and 2i + 1, and the tiles are the leaves.

    The box of a node holds those of its children; that of a tile without rows holds nothing.
    """

    first: int  # the number of the first tile
    lows: FloatArray  # [node, coordinate]
    highs: FloatArray

    @classmethod
    def of(cls, tiles: range, found: Mapping[int, tuple[FloatArray, FloatArray]], d: int) -> "Boxes":
        """The boxes of tiles, as many as a power of two; those with rows have the least and largest coordinates."""
        lows, highs = np.full((2 * len(tiles), d), np.inf), np.full((2 * len(tiles), d), -np.inf)
        for number, (low, high) in found.items():
            lows[len(tiles) + number - tiles.start], highs[len(tiles) + number - tiles.start] = low, high
        for node in range(len(tiles) - 1, 0, -1):
            lows[node] = np.minimum(lows[2 * node], lows[2 * node + 1])
            highs[node] = np.maximum(highs[2 * node], highs[2 * node + 1])
        return cls(tiles.start, lows, highs)

    def touched_by(self, points: FloatArray, squared: float) -> dict[int, NDArray[np.intp]]:
        """For each tile with some, the points for which a row in its box may be a neighbor, by number, ascending."""
        found = dict[int, tuple[NDArray[np.int64], NDArray[np.intp]]]()

        def look(start: int, stop: int) -> None:
            edges = np.zeros(len(self.lows) // 2 + 1, np.int64)
            _count(points, start, stop, self.lows, self.highs, squared, edges)
            rows = np.empty(edges[-1], np.intp)
            _fill(points, start, stop, self.lows, self.highs, squared, edges[:-1].copy(), rows)
            found[start] = edges, rows

        workers.over_ranges(look, len(points), workers.available(), _ROWS_AT_LEAST)
        parts = [[rows[a:b] for a, b in pairwise(edges.tolist())] for _, (edges, rows) in sorted(found.items())]
        each = (np.concatenate(some) for some in zip(*parts, strict=True))
        return {self.first + tile: rows for tile, rows in enumerate(each) if rows.size}


@kernel
def _behind(node):
    """The node to look at once all below this one is done with; 0 after the last one."""
    while node & 1:
        node >>= 1
    return node + 1 if node else 0


@kernel
def _count(points, start, stop, lows, highs, squared, edges):
    """Where the rows of each tile begin, and the last ones end."""
    tiles = lows.shape[0] // 2
    for i in range(start, stop):
        node = 1
        while node:
            touches = gap_to_box(lows, highs, node, points[i]) <= squared
            if touches and node >= tiles:
                edges[node - tiles + 1] += 1
            node = 2 * node if touches and node < tiles else _behind(node)
    for tile in range(tiles):
        edges[tile + 1] += edges[tile]


@kernel
def _fill(points, start, stop, lows, highs, squared, ends, rows):
    """The rows of each tile; `ends` moves from where they begin to where they end."""
    tiles = lows.shape[0] // 2
    for i in range(start, stop):
        node = 1
        while node:
            touches = gap_to_box(lows, highs, node, points[i]) <= squared
            if touches and node >= tiles:
                rows[ends[node - tiles]] = i
                ends[node - tiles] += 1
            node = 2 * node if touches and node < tiles else _behind(node)
