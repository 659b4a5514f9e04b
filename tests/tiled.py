"""Rows in tiles in this process: the plainest place that counting can ask. Everything that travels is pickled."""

import pickle
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from eremite.table import Engine
from eremite.table.rules import CellRules
from eremite.tiles import TiledTable, tiled_table
from eremite.tiles.store import Cut, Reading


def travels(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))  # noqa: S301


@dataclass
class TilesHere:
    rows: dict[int, list[np.ndarray]] = field(default_factory=lambda: defaultdict(list))

    most_sent = sys.maxsize

    def each(self, work, inputs):
        work = travels(work)
        for number, given in reversed(inputs.items()):  # any order
            rows = np.concatenate(self.rows[number]) if number in self.rows else np.empty(0)
            yield number, travels(work(rows, travels(given)))

    def narrowed(self, work, inputs):
        found = dict(self.each(work, inputs))
        kept = {number: [rows] for number, (_, rows) in found.items()}
        return {number: result for number, (result, _) in found.items()}, TilesHere(kept)

    def close(self):
        self.rows.clear()


@dataclass
class SourceHere:
    """A table in chunks of a few rows; tiles are small."""

    table: pa.Table
    reading: Reading
    chunk_rows: int = 97
    tile_bytes: int = 1024
    workers: int = 2

    def require_answer(self):
        pass

    def _chunks(self):
        for begin in range(0, self.table.num_rows, self.chunk_rows):
            yield self.reading.chunk(self.table.slice(begin, self.chunk_rows))

    def fold(self, work, merge):
        work, found = travels(work), None
        for chunk in self._chunks():
            one = travels(work(chunk))
            found = one if found is None else merge(found, one)
        return found

    def cut(self, cuts: Sequence[Cut]):
        tiles = TilesHere()
        for chunk in self._chunks():
            for cut in travels(list(cuts)):
                for number, rows in cut.split(chunk):
                    tiles.rows[number].append(rows)
        return tiles


def tiled(columns: dict[str, Any], rules: CellRules, *, neighbors="replace", rows_about=None, **source) -> TiledTable:
    reading = Reading(rules, "the frame")
    return tiled_table(SourceHere(pa.table(columns), reading, **source), reading, (1, neighbors, rows_about), Engine())
