"""`python -m benchmarks.durations`: how long questions were expected to take, and how long they took.

The expectation knows public facts alone; the tables show how far the way rows lie takes it off.
"""

import argparse
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table as Grid

from eremite import (
    CountByQuery,
    CountQuery,
    DetectQuery,
    ExplainQuery,
    OutlierDefinition,
    RadiusQuery,
    ReportQuery,
    Session,
    SubspacesQuery,
    Table,
)

Rows = NDArray[np.float64]
_GROUPS = 40


def _normal(rng: np.random.Generator, n: int, d: int) -> Rows:
    return np.asarray(rng.normal(0.5, 0.12, (n, d)).clip(0, 1))


def _long_tails(rng: np.random.Generator, n: int, d: int) -> Rows:
    return np.asarray((np.exp(rng.normal(0, 1, (n, d))) / 20).clip(0, 1))


def _clusters(rng: np.random.Generator, n: int, d: int) -> Rows:
    centers = rng.random((40, d))
    return np.asarray((centers[rng.integers(0, 40, n)] + rng.normal(0, 0.02, (n, d))).clip(0, 1))


_SHAPES: dict[str, Callable[[np.random.Generator, int, int], Rows]] = {
    "normal": _normal,
    "long tails": _long_tails,
    "clusters": _clusters,
}


def run(out: Console, rows: int) -> None:
    """Print expected and measured seconds for every question and shape."""
    grid = Grid("question", "rows are", "expected", "measured", "expected / measured", title=f"{rows:,} rows")
    for shape, draw in _SHAPES.items():
        for words, d, query, more in _questions(rows):
            session = _session(draw(np.random.default_rng(1), rows, d), more)
            small = _session(draw(np.random.default_rng(2), 300, d), more)
            small.ask(query)  # compiles
            expected = session.expected_seconds(query)
            begin = perf_counter()
            session.ask(query)
            measured = perf_counter() - begin
            grid.add_row(words, shape, f"{expected:.1f} s", f"{measured:.1f} s", f"{expected / measured:.2g}")
    out.print(grid)


def _questions(rows: int) -> Iterator[tuple[str, int, Any, dict[str, Any]]]:
    """Words, number of columns, question, and how the table is described."""
    private = {"neighbors": "add-remove", "rows_about": rows}
    for d, radius in ((2, 0.003), (4, 0.02), (6, 0.02), (8, 0.05)):
        one = OutlierDefinition(min_neighbors=5, radius=radius)
        yield f"count, {d} columns, r {radius}", d, CountQuery(definition=one, epsilon=0.5), {}
        if d == 4:
            yield "the same, add-remove", d, CountQuery(definition=one, epsilon=0.5), private
            yield f"the same by {_GROUPS} groups", d, CountByQuery(definition=one, by="group", epsilon=0.5), {}
            yield (
                "explain, up to 3 of 4",
                d,
                ExplainQuery(definition=one, point=[0.5] * 4, h=1, max_size=3, epsilon=1),
                {},
            )
            yield "detect, 1,000 points", d, DetectQuery(definition=one, candidates=_points(d), h=1, epsilon=1), {}
            yield "choose-radius", d, RadiusQuery(min_neighbors=5, share=0.01, epsilon=0.5), {}
        if d == 8:
            yield "subspaces, 56 of 3", d, SubspacesQuery(definition=one, h=1, size=3, epsilon=0.5), {}
            fine = OutlierDefinition(min_neighbors=5, radius=0.005)
            yield "report, 28 of 2", d, ReportQuery(definition=fine, h=2, size=2, epsilon=1), {}


def _points(d: int) -> Rows:
    return np.random.default_rng(3).random((1000, d))


def _session(points: Rows, more: dict[str, Any]) -> Session:
    frame: dict[str, Any] = {f"c{i}": column for i, column in enumerate(points.T)}
    frame["group"] = [str(i % _GROUPS) for i in range(len(points))]
    bounds = {name: (0, 1) for name in frame if name != "group"}
    categories = {"group": [str(i) for i in range(_GROUPS)]}
    return Session(Table.from_frame(frame, bounds=bounds, categories=categories, **more), epsilon=1000)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="How long questions were expected to take, and how long they took.")
    parser.add_argument("--rows", type=int, default=100_000)
    run(Console(width=120), parser.parse_args().rows)
