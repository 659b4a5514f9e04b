"""Rows to forecast with: public ones, or rows made up from public facts."""

from dataclasses import dataclass, replace
from math import ceil
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from eremite.forecast.cautious import cautious_words
from eremite.outliers import OutlierDefinition
from eremite.queries.fields import RowShape, Shape
from eremite.queries.fit import require_choice
from eremite.table import Facts, Table

SHAPES = get_args(Shape)
"""How rows can be made up for a count."""
SEED = 20150611
"""Seed of the rows made up here; simulations on them use the seeds that follow."""
MOST_MADE_UP = 3_000
"""So many rows are made up; a forecast is hardly more accurate with more, and takes longer."""

MOST_LOOKED_AT = 10_000
"""So many public rows are looked at where a release says at once how far off it may be."""


@dataclass(frozen=True, slots=True)
class StandIn:
    """Public or made-up rows that replace the private ones, and a description of them in words.

    Questions are planned with `table`. Where there are more or fewer rows than the private table has, `table` has its
    number of rows and none of them, and `sample` has the rows. A cautious stand-in has no rows: they are made up for a
    question (`cautious.py`).
    """

    table: Table
    words: str
    sample: Table | None = None
    cautious: bool = False
    stands_for: float = 1  # how many rows each of them stands for

    @property
    def rows(self) -> Table:
        """The rows to look at."""
        return self.table if self.sample is None else self.sample

    def scaled(self, definition: OutlierDefinition, columns: int) -> OutlierDefinition:
        """The definition with a radius that has as many of these rows near as the original has of all rows.

        A ball of a radius larger by f has f^d times the volume; so the density is the same where it varies little
        within a ball.
        """
        if self.stands_for == 1:
            return definition
        return replace(definition, radius=definition.radius * self.stands_for ** (1 / columns))


def public_rows(table: Table) -> StandIn:
    """A public table as a stand-in."""
    return StandIn(table, f"{table.all_rows():,} public rows that stand in for the table")


def public_rows_for(facts: Facts, table: Table) -> StandIn:
    """A public table as a stand-in for one of these facts; of a large one, evenly chosen rows for a bounded time."""
    step = ceil(table.all_rows() / MOST_LOOKED_AT)
    if step == 1:
        return StandIn(Table.for_planning(facts), public_rows(table).words, table)
    sample = table.every(step)
    which = f"{sample.all_rows():,} of {table.all_rows():,} public rows that stand in for the table"
    words = f"{which}, {_WIDENED}"
    return StandIn(Table.for_planning(facts), words, sample, stands_for=table.all_rows() / sample.all_rows())


def made_up(facts: Facts, shape: Shape) -> StandIn:
    """Rows within the bounds of the private table, distributed by `shape`, as many as it has or `MOST_MADE_UP`.

    The same rows every time, so that two forecasts can be compared.
    """
    require_choice("shape", shape, SHAPES)
    if shape == "cautious":
        return StandIn(Table.for_planning(facts), cautious_words(facts.rows), cautious=True)
    n = min(facts.rows, MOST_MADE_UP)
    rows = scaled_up(_DRAWN[shape](np.random.default_rng(SEED), n, len(facts.bounds)), facts)
    if n == facts.rows:
        return StandIn(rows, f"{n:,} made-up rows, {_WORDS[shape]}")
    words = f"{n:,} made-up rows in place of {facts.rows:,}, {_WIDENED}, {_WORDS[shape]}"
    return StandIn(Table.for_planning(facts), words, rows, stands_for=facts.rows / n)


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
    return Table.from_numbers(numbers, codes, replace(facts, rows=len(rows)))


def _clusters(rng: np.random.Generator, n: int, d: int) -> NDArray[np.float64]:
    centers = rng.uniform(0.15, 0.85, (20, d))
    rows = rng.normal(centers[rng.integers(0, len(centers), n)], 0.03)
    rows[: n // 100] = rng.uniform(0, 1, (n // 100, d))
    return rows


def _normal(rng: np.random.Generator, n: int, d: int) -> NDArray[np.float64]:
    return rng.normal(0.5, 0.15, (n, d))


def _uniform(rng: np.random.Generator, n: int, d: int) -> NDArray[np.float64]:
    return rng.uniform(0, 1, (n, d))


_WIDENED = "with the radius and with one widened to match"
_DRAWN = {"clusters": _clusters, "normal": _normal, "uniform": _uniform}
_WORDS: dict[RowShape, str] = {
    "clusters": "in twenty clusters, one in a hundred of them anywhere",
    "normal": "around the middle of every column",
    "uniform": "anywhere",
}
