"""Threads for kernels that release the interpreter lock.

Plain threads and no parallel loops inside the kernels: two requests may count at once, a process may fork, and the
kernels stay ordinary functions that also run with compilation off. No result depends on how many there are (E16 of
`engines.proof.md`).
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

Item = TypeVar("Item")


def available() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def over_ranges(work: Callable[[int, int], None], size: int, workers: int, at_least: int = 1) -> None:
    """Call `work(start, stop)` on ranges that cover [0, size), several at once.

    Ranges are smaller than size / workers, so that a thread which drew dense rows does not keep the others waiting,
    and no smaller than `at_least`.
    """
    parts = max(1, min(16 * workers, size // at_least)) if workers > 1 else 1
    edges = [size * part // parts for part in range(parts + 1)]
    over_items(lambda edge: work(*edge), list(pairwise(edges)), workers)


def over_items(work: Callable[[Item], None], items: Sequence[Item], workers: int) -> None:
    """Call `work` on every item, several at once."""
    if workers == 1 or len(items) == 1:
        for item in items:
            work(item)
        return
    with ThreadPoolExecutor(min(workers, len(items))) as pool:
        for done in [pool.submit(work, item) for item in items]:
            done.result()
