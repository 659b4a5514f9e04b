"""Rows to forecast with: public ones, or rows made up from public facts."""

from dataclasses import dataclass
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from eremite.queries.fields import Shape
from eremite.queries.fit import require_choice
from eremite.table import Facts, Table

SHAPES = get_args(Shape)
"""How rows can be made up."""
SEED = 20150611
"""Seed of the rows made up here; simulations on them use the seeds that follow."""


@dataclass(frozen=True, slots=True)
class StandIn:
    """A public or made-up table that replaces the private one, and a description of it in words."""

    table: Table
    words: str


def public_rows(table: Table) -> StandIn:
    """A public table as a stand-in."""
    return StandIn(table, f"{table.all_rows():,} public rows that stand in for the table")


def made_up(facts: Facts, shape: Shape) -> StandIn:
    """As many rows as the private table has, within its bounds, distributed by `shape`.

    The same rows every time, so that two forecasts can be compared.
    """
    require_choice("shape", shape, SHAPES)
    rows = _DRAWN[shape](np.random.default_rng(SEED), facts.rows, len(facts.bounds))
    return StandIn(scaled_up(rows, facts), f"{facts.rows:,} made-up rows, {_WORDS[shape]}")


def scaled_up(rows: NDArray[np.float64], facts: Facts) -> Table:
    """A table with these facts from rows that were made up in [0, 1]; each category is as frequent as any other."""
    rng = np.random.default_rng(SEED + 1)
    numbers = {
        name: bound.min + np.clip(column, 0, 1) * (bound.max - bound.min)
        for (name, bound), column in zip(facts.bounds.items(), rows.T, strict=True)
    }
    codes = {
        name: rng.integers(0, len(column.names), len(rows)).astype(np.int32)
        for name, column in facts.categories.items()
    }
    return Table.from_numbers(numbers, codes, facts)


def _clusters(rng: np.random.Generator, n: int, d: int) -> NDArray[np.float64]:
    centers = rng.uniform(0.15, 0.85, (20, d))
    rows = rng.normal(centers[rng.integers(0, len(centers), n)], 0.03)
    rows[: n // 100] = rng.uniform(0, 1, (n // 100, d))
    return rows


def _normal(rng: np.random.Generator, n: int, d: int) -> NDArray[np.float64]:
    return rng.normal(0.5, 0.15, (n, d))


def _uniform(rng: np.random.Generator, n: int, d: int) -> NDArray[np.float64]:
    return rng.uniform(0, 1, (n, d))


_DRAWN = {"clusters": _clusters, "normal": _normal, "uniform": _uniform}
_WORDS = {
    "clusters": "in twenty clusters, one in a hundred of them anywhere",
    "normal": "around the middle of every column",
    "uniform": "anywhere",
}
