"""Which tile a row belongs to: a tree of cuts, each at one value of one coordinate.

The tree is made from a sample of the rows, so that tiles have about as many rows each, however the rows gather. Its
size is public. Which rows were in the sample changes who counts a row, and never what is counted (claim T1).
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from eremite.engines.pair import U, kernel

_NOWHERE = np.inf  # a cut there leaves all rows on one side
_CROWDED = 4  # a tile whose rows are one point is crowded if it has so many times its share of the sample


@dataclass(frozen=True, slots=True, eq=False)
class Tiling:
    """A tree of cuts, numbered as in a heap: node i has the children 2i and 2i + 1; the tiles are its leaves.

    A row goes to the right of a cut if its coordinate is at least the value of the cut.
    """

    axes: NDArray[np.int64]  # of each node; the first is not used
    values: NDArray[np.float64]
    crowded: dict[int, tuple[float, ...]] = field(default_factory=dict)  # tiles that are filled by copies of a point

    @property
    def count(self) -> int:
        """How many tiles there are."""
        return int(self.axes.size)

    def place(self, rows: NDArray[np.float64]) -> NDArray[np.int64]:
        """The tile of each row. It depends on the row alone."""
        out = np.empty(len(rows), np.int64)
        _place(rows, self.axes, self.values, out)
        return out

    def cell(self, tile: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The room of a tile: its rows are at least the first in every column, and below the second."""
        low, high = np.full((2, int(self.axes.max(initial=0)) + 1), [[-np.inf], [np.inf]])
        node = self.count + tile
        while node > 1:
            up, axis = node // 2, self.axes[node // 2]
            if node % 2:
                low[axis] = max(low[axis], self.values[up])
            else:
                high[axis] = min(high[axis], self.values[up])
            node = up
        return low, high

    def sort(self, rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The rows by tile, in their order within each, and where each tile begins, and the last one ends."""
        edges, out = np.zeros(self.count + 1, np.int64), np.empty_like(rows)
        _sort(rows, self.place(rows), edges, out)
        return out, edges

    def thinned(self, tile: int, rows: NDArray[np.float64], most_copies: int) -> NDArray[np.float64]:
        """The rows of a tile without the copies of the point that crowds it, beyond `most_copies` of each stratum."""
        point = self.crowded.get(tile)
        if point is None:
            return rows
        copies = np.flatnonzero((rows[:, : len(point)] == np.array(point)).all(axis=1))
        strata = rows[copies, len(point) :].view(np.int64)  # copies of other strata are other points
        spare = [copies[(strata == one).all(axis=1)][most_copies:] for one in np.unique(strata, axis=0)]
        return np.delete(rows, np.concatenate(spare), axis=0) if spare else rows


#: One tile with all rows.
UNDIVIDED = Tiling(np.zeros(1, np.int64), np.full(1, _NOWHERE))


def tiling_of(sample: NDArray[np.float64], tiles: int, distance: float) -> Tiling:
    """A tiling into so many tiles, a power of two, of about as many rows of the sample each.

    Cuts with few rows within the distance of them are preferred: those rows may have neighbors on the other side.
    """
    axes, values = np.zeros(tiles, np.int64), np.full(tiles, _NOWHERE)
    leaves = {1: sample}
    for node in range(1, tiles):
        rows = leaves.pop(node)
        axes[node], values[node] = _best_cut(rows, distance)
        right = rows[:, axes[node]] >= values[node]
        leaves[2 * node], leaves[2 * node + 1] = rows[~right], rows[right]
    share = max(1, len(sample) // tiles)
    crowded = {
        node - tiles: tuple(rows[0].tolist())
        for node, rows in leaves.items()
        if len(rows) > _CROWDED * share and (rows == rows[0]).all()
    }
    return Tiling(axes, values, crowded)


def _best_cut(rows: NDArray[np.float64], distance: float) -> tuple[int, float]:
    """The axis and value of a cut with about half of the rows on either side and few near it."""
    best, where = np.inf, (0, _NOWHERE)
    for axis in range(rows.shape[1]):
        values = np.sort(rows[:, axis])
        for value in _middle_values(values):
            left = np.searchsorted(values, value) / values.size
            near = np.searchsorted(values, value + distance, "right") - np.searchsorted(values, value - distance)
            cost = near / values.size + abs(2 * left - 1)
            if 0 < left < 1 and cost < best:
                best, where = float(cost), (axis, float(value))
    return where


def _middle_values(values: NDArray[np.float64]) -> list[float]:
    """The middle one of sorted values, and the next larger one: where many are equal, one of them cuts better."""
    if values.size == 0:
        return []
    middle = values[values.size // 2]
    behind = np.searchsorted(values, middle, "right")
    return [middle, *values[behind : behind + 1].tolist()]


@kernel
def _place(rows, axes, values, out):
    tiles = axes.size
    for i in range(U(rows.shape[0])):
        node = 1
        while node < tiles:
            node = 2 * node + (rows[i, U(axes[node])] >= values[node])
        out[i] = node - tiles


@kernel
def _sort(rows, tiles, edges, out):
    for i in range(U(tiles.size)):
        edges[U(tiles[i]) + U(1)] += 1
    for t in range(U(1), U(edges.size)):
        edges[t] += edges[t - U(1)]
    ends = edges.copy()  # of the rows that were put into each tile
    for i in range(U(tiles.size)):
        end = ends[U(tiles[i])]
        ends[U(tiles[i])] = end + 1
        for c in range(U(rows.shape[1])):
            out[U(end), c] = rows[i, c]
