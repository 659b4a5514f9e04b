"""The cost of finding the most points in one ball: Algorithm 1 and our depth (section 4.3 of the paper).

paper     here
P         a window: the rows whose degree is within t of k
seb       calls

Numbers of calls are the same in every run. Seconds are not, so they have a table of their own.
"""

from collections.abc import Callable, Iterator
from functools import partial
from time import perf_counter
from typing import TypeVar

import numpy as np

from eremite.geometry import densest_ball
from eremite.outliers import degrees
from eremite_paper.algorithm_1 import algorithm_1
from eremite_paper.datasets import Floats, adult_1, grown, synthetic_1, within_bounds
from eremite_paper.scenario_1 import BOUNDED, RADIUS, SYNTHETIC_1, K
from eremite_paper.setting import Setting
from eremite_paper.tables import Row

Result = TypeVar("Result")

GROWN = "Synthetic 1, grown"
PAPERS, OURS = "Algorithm 1", "our depth"
_TABLES = 10
_TIMED = 3  # tables on which seconds are measured
_STEP = 10  # t of the windows whose depth is timed
_LONG = 2.0  # seconds; compiling takes less


def call_parts(setting: Setting) -> list[Callable[[], list[Row]]]:
    """One part for each draw of Synthetic 1 and Adult 1."""
    return [
        partial(_calls, table, setting.seed + draw, make, setting.most_calls)
        for table, make in _makers(setting).items()
        for draw in range(min(_TABLES, setting.draws))
    ]


def second_parts(setting: Setting) -> list[Callable[[], list[Row]]]:
    """Both methods on the windows of the same draws, and ours on larger tables too."""
    sizes = [int(n) for n in np.geomspace(100, setting.largest, 7)]
    small = [
        partial(_both, table, setting.seed + draw, make, setting.most_calls)
        for table, make in _makers(setting).items()
        for draw in range(min(_TIMED, setting.draws))
    ]
    return [*small, *(partial(_large, n, setting.seed) for n in sizes)]


def _makers(setting: Setting) -> dict[str, Callable[[int], Floats]]:
    makers: dict[str, Callable[[int], Floats]] = {SYNTHETIC_1: synthetic_1}
    if (rows := setting.files.adult) is not None:
        makers[BOUNDED] = lambda seed: within_bounds(adult_1(rows, seed).points)
    return makers


def _windows(points: Floats, radius: float) -> Iterator[tuple[int, Floats]]:
    """Every t at which the window has grown, and its rows."""
    found, size = degrees(points, radius), 0
    for t in range(len(points)):
        window = points[np.abs(found - K) <= t]
        if len(window) > size:
            size = len(window)
            yield t, window


def _calls(table: str, seed: int, make: Callable[[int], Floats], most: int) -> list[Row]:
    """One row for each window, up to the first on which Algorithm 1 needs more than `most` calls."""
    points, rows = make(seed), []
    radius = float(RADIUS[table] * np.sqrt(points.shape[1]))
    for t, window in _windows(points, RADIUS[table]):
        searched = algorithm_1(window, radius, most)
        row: Row = {"table": table, "seed": seed, "t": t, "size": len(window), "depth": densest_ball(window, radius)}
        rows.append(row | {"found": searched.size, "calls": searched.calls, "done": int(searched.size is not None)})
        if searched.size is None:
            break
    return rows


def _both(table: str, seed: int, make: Callable[[int], Floats], most: int) -> list[Row]:
    points, rows = make(seed), []
    radius, going = float(RADIUS[table] * np.sqrt(points.shape[1])), True
    for _, window in _windows(points, RADIUS[table]):
        if going:
            seconds, searched = _timed(partial(algorithm_1, window, radius, most))
            going = searched.size is not None
        if going:
            rows.append(_row(table, PAPERS, window, seconds))
        rows.append(_row(table, OURS, window, _timed(partial(densest_ball, window, radius))[0]))
    return rows


def _large(n: int, seed: int) -> list[Row]:
    """Our depth on Synthetic 1 with n rows; the radius shrinks so that degrees stay about the same."""
    points = grown(n, 2, seed)
    radius = RADIUS[SYNTHETIC_1] * (50 / n) ** 0.5
    window = points[np.abs(degrees(points, radius) - K) <= _STEP]
    return [_row(GROWN, OURS, window, _timed(partial(densest_ball, window, radius * 2**0.5))[0])]


def _row(table: str, method: str, window: Floats, seconds: float) -> Row:
    return {"table": table, "method": method, "size": len(window), "d": window.shape[1], "seconds": seconds}


def _timed(work: Callable[[], Result]) -> tuple[float, Result]:
    """The seconds of a second run, since the first may compile; of the first run if it took long."""
    for _ in range(2):
        start = perf_counter()
        result = work()
        seconds = perf_counter() - start
        if seconds > _LONG:
            break
    return seconds, result
