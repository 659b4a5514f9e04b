"""Computations over many subspaces of one table, such as exact outlier counts.

All share the scaled columns. Each core works on one subspace at a time, and only the points of those subspaces are in
memory.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import groupby, islice
from typing import TypeVar

from eremite.engines import FindNeighbors, find_neighbors, workers
from eremite.engines.local import find_neighbors_with
from eremite.outliers.counting import outliers_among
from eremite.outliers.definition import OutlierDefinition
from eremite.outliers.subspaces import Subspace, Subspaces
from eremite.tiles import AnyPart, AnyTable, TiledTable

Result = TypeVar("Result")

# Subspaces of a table elsewhere whose rows are put into tiles at once: each takes as much space as the table.
_TOGETHER = 8

#: A computation on the rows that take part in one subspace, given a function that finds neighbors.
Work = Callable[[AnyPart, FindNeighbors], Result]


def count_outliers_in_each(
    table: AnyTable, definition: OutlierDefinition, subspaces: Subspaces
) -> Iterator[tuple[Subspace, int]]:
    """Each subspace with its number of outliers, in the family's order. Exact, hence private.

    Neighbors are counted only up to `min_neighbors`, which decides whether a row is an outlier.
    """
    return in_each(table, subspaces, definition.within, lambda part, find: outliers_among(part, definition, find))


def in_each(
    table: AnyTable, subspaces: Subspaces, within: Sequence[str], work: Work[Result]
) -> Iterator[tuple[Subspace, Result]]:
    """Each subspace with the result of `work` on its rows, in the family's order. As private as the rows."""
    if isinstance(table, TiledTable):
        yield from _in_each_tiled(table, subspaces, within, work)
        return
    threads = workers.available()
    find = partial(find_neighbors_with, 1 if subspaces.count >= threads else threads)
    waiting: deque[tuple[Subspace, Future[Result]]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for subspace in subspaces:
            waiting.append((subspace, pool.submit(_one, table, subspace, within, work, find)))
            if len(waiting) > 2 * threads:
                yield _result(waiting)
        while waiting:
            yield _result(waiting)


def _in_each_tiled(
    table: TiledTable, subspaces: Subspaces, within: Sequence[str], work: Work[Result]
) -> Iterator[tuple[Subspace, Result]]:
    """Several subspaces of one size at a time, whose rows are in tiles together."""
    for _, alike in groupby(subspaces, len):
        for some in batched(alike, _TOGETHER):
            for subspace, part in zip(some, table.parts(some, within), strict=True):
                yield subspace, work(part, find_neighbors)


def batched(items: Iterable[Subspace], size: int) -> Iterator[tuple[Subspace, ...]]:
    """So many at a time; `itertools` has it from Python 3.12 on."""
    rest = iter(items)
    while some := tuple(islice(rest, size)):
        yield some


def _result(waiting: deque[tuple[Subspace, Future[Result]]]) -> tuple[Subspace, Result]:
    subspace, done = waiting.popleft()
    return subspace, done.result()


def _one(table: AnyTable, subspace: Subspace, within: Sequence[str], work: Work[Result], find: FindNeighbors) -> Result:
    return work(table.part(subspace, within), find)
