"""Names of different rows: numbers, the same whenever and wherever a row comes from.

A row is its coordinates and its stratum: looked up by a hash and compared in full, so no two rows share a name.
"""

import numpy as np
from numpy.typing import NDArray

from eremite.tiles.counting import Some

_SALT = 0x9E3779B97F4A7C15


class Names:
    """The rows that were named so far."""

    def __init__(self, d: int) -> None:
        self._rows = Some(np.empty((0, d)), np.empty(0, np.int64))
        self._salt = np.uint64(_SALT)
        self._keys = np.empty(0, np.uint64)  # ascending
        self._named = np.empty(0, np.int64)  # the name of each key

    def __len__(self) -> int:
        return len(self._rows)

    def of(self, rows: Some) -> NDArray[np.int64]:
        """The name of each of these rows; those without one get the next numbers."""
        while True:
            keys = _keys(rows, self._salt)
            names = self._known(keys)
            new = np.flatnonzero(names < 0)
            _, firsts, alike = np.unique(keys[new], return_index=True, return_inverse=True)
            names[new] = len(self) + alike
            everything = self._with(rows.at(new[firsts]))
            if _are_equal(everything.at(names), rows):
                self._keep(everything, keys[new[firsts]])
                return names
            self._change_salt()  # two rows had one key

    def _known(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The names of these keys; -1 where there is none."""
        if not self._keys.size:
            return np.full(keys.size, -1)
        places = np.minimum(np.searchsorted(self._keys, keys), self._keys.size - 1)
        return np.where(self._keys[places] == keys, self._named[places], -1)

    def _with(self, new: Some) -> Some:
        return Some(np.concatenate([self._rows.points, new.points]), np.concatenate([self._rows.codes, new.codes]))

    def _keep(self, everything: Some, keys: NDArray[np.uint64]) -> None:
        named = np.concatenate([self._named, np.arange(len(self), len(everything))])
        self._rows = everything
        keys = np.concatenate([self._keys, keys])
        order = np.argsort(keys)
        self._keys, self._named = keys[order], named[order]

    def _change_salt(self) -> None:
        """Other keys for all rows, until those that have names have different ones."""
        while True:
            self._salt = np.uint64(int(self._salt) * _SALT % 2**64 | 1)
            keys = _keys(self._rows, self._salt)
            order = np.argsort(keys)
            self._keys, self._named = keys[order], order
            if (self._keys[1:] != self._keys[:-1]).all():
                return


def _keys(rows: Some, salt: np.uint64) -> NDArray[np.uint64]:
    """A hash of each row."""
    keys = rows.codes.astype(np.uint64) * salt
    for column in rows.points.T:
        keys = (keys ^ np.ascontiguousarray(column).view(np.uint64)) * salt
        keys ^= keys >> np.uint64(31)
    return keys


def _are_equal(some: Some, others: Some) -> bool:
    return bool((some.points == others.points).all() and (some.codes == others.codes).all())
