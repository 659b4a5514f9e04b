"""Computations over many subspaces of one table, such as exact outlier counts.

All share the scaled columns. Each core works on one subspace at a time, and only the points of those subspaces are in
memory.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from eremite.engines import FindNeighbors, workers
from eremite.engines.local import find_neighbors_with
from eremite.outliers.counting import outliers_among
from eremite.outliers.definition import OutlierDefinition
from eremite.outliers.subspaces import Subspace, Subspaces
from eremite.table import Part, Table

Result = TypeVar("Result")
#: A computation on the rows that take part in one subspace, given a function that finds neighbors.
Work = Callable[[Part, FindNeighbors], Result]


def count_outliers_in_each(
    table: Table, definition: OutlierDefinition, subspaces: Subspaces
) -> Iterator[tuple[Subspace, int]]:
    """Each subspace with its number of outliers, in the family's order. Exact, hence private.

    Neighbors are counted only up to `min_neighbors`, which decides whether a row is an outlier.
    """
    return in_each(table, subspaces, definition.within, lambda part, find: outliers_among(part, definition, find))


def in_each(
    table: Table, subspaces: Subspaces, within: Sequence[str], work: Work[Result]
) -> Iterator[tuple[Subspace, Result]]:
    """Each subspace with the result of `work` on its rows, in the family's order. As private as the rows."""
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


def _result(waiting: deque[tuple[Subspace, Future[Result]]]) -> tuple[Subspace, Result]:
    subspace, done = waiting.popleft()
    return subspace, done.result()


def _one(table: Table, subspace: Subspace, within: Sequence[str], work: Work[Result], find: FindNeighbors) -> Result:
    return work(table.part(subspace, within), find)
