"""Blocks of cells that hold every cover: a first look at which rows may be in a heavy one (claim C5).

In few columns a block is hardly wider than a cover, and adding up blocks takes a few operations for each row and cell,
where finding the covers of a row takes hundreds.
"""

from dataclasses import dataclass
from math import floor, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

MOST_COLUMNS = 3  # in more, a block is far wider than a cover
MOST_CELLS = 1 << 23
_FINEST = 0.25  # the width of a cell, over R
_WIDEST = 1.0  # wider ones are not worth it
_WIDER = 1.1  # a step to wider cells


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells of one width, for each stratum; `span` of them along each column hold any cover."""

    lows: tuple[float, ...]
    width: float
    shape: tuple[int, ...]  # strata, then cells along each column
    span: int

    @classmethod
    def of(
        cls, lows: tuple[float, ...], highs: tuple[float, ...], strata: int, radius: float, apart: float, most: int
    ) -> "Grid | None":
        """Cells of rows between these ends, for the (Euclidean) radius R, of which two in a cover are at most `apart`
        from each other; None where `most` cells are too few to be worth it."""
        if len(lows) > MOST_COLUMNS:
            return None
        width = _FINEST * radius
        while width <= _WIDEST * radius:
            shape = (strata, *(floor((high - low) / width) + 1 for low, high in zip(lows, highs, strict=True)))
            if prod(shape) <= min(most, MOST_CELLS):
                return cls(lows, width, shape, floor(apart / width) + 2)
            width *= _WIDER
        return None

    @property
    def size(self) -> int:
        """How many cells there are."""
        return prod(self.shape)

    def cells(self, points: Floats, strata: Ints) -> Ints:
        """The cell of each row, by number."""
        cell = strata
        for low, along, column in zip(self.lows, self.shape[1:], points.T, strict=True):
            cell = cell * along + np.floor((column - low) / self.width).astype(np.int64)
        return cell

    def heavy(self, sums: Ints, threshold: int) -> NDArray[np.bool_]:
        """Which cells are in a block that holds more than the threshold, by what each cell holds."""
        held = sums.reshape(self.shape)
        for axis in range(1, len(self.shape)):
            held = _added_up(held, axis, self.span)
        over = (held > threshold).astype(np.int32)
        for axis in range(1, len(self.shape)):
            over = np.flip(_added_up(np.flip(over, axis), axis, self.span), axis)
        return (over > 0).reshape(-1)


def _added_up(held: NDArray[Any], axis: int, span: int) -> NDArray[Any]:
    """For each place along the axis, the sum of `span` places from it on, as far as there are so many."""
    total = np.moveaxis(np.cumsum(held, axis=axis, dtype=held.dtype), axis, 0)
    found = np.empty_like(total)
    rest = max(len(total) - span + 1, 0)  # from here on, the last place is the end
    found[:rest], found[rest:] = total[span - 1 :], total[-1]
    found[1:] -= total[:-1]
    return np.moveaxis(found, 0, axis)
