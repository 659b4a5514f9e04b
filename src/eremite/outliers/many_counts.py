"""Exact outlier counts over many subspaces.

The scaled columns are shared by all of them. Each subspace is counted on one core, as many at a time as there are
cores, and only those are held in memory; counting stops at `min_neighbors`, which is all an outlier count asks for.
"""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

from eremite.engines import workers
from eremite.engines.local import count_neighbors_with
from eremite.outliers.counting import outliers_among
from eremite.outliers.definition import OutlierDefinition
from eremite.outliers.subspaces import Subspace, Subspaces
from eremite.table import Table


def count_outliers_in_each(
    table: Table, definition: OutlierDefinition, subspaces: Subspaces
) -> Iterator[tuple[Subspace, int]]:
    """Each subspace with its number of outliers, in the family's order. Exact, hence private."""
    threads = workers.available()
    each = 1 if subspaces.count >= threads else threads
    waiting: deque[tuple[Subspace, Future[int]]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for subspace in subspaces:
            waiting.append((subspace, pool.submit(_count, table, definition, subspace, each)))
            if len(waiting) > 2 * threads:
                yield _result(waiting)
        while waiting:
            yield _result(waiting)


def _result(waiting: deque[tuple[Subspace, Future[int]]]) -> tuple[Subspace, int]:
    subspace, counted = waiting.popleft()
    return subspace, counted.result()


def _count(table: Table, definition: OutlierDefinition, subspace: Subspace, threads: int) -> int:
    return outliers_among(table.points(subspace), definition, partial(count_neighbors_with, threads))
