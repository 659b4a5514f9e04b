"""CPU seconds, and one core for whatever is compared."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import process_time

import numpy as np


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU seconds of one run, all threads together."""
    start = process_time()
    work()
    return process_time() - start


def median_seconds(work: Callable[[], object]) -> float:
    """The median of five runs, after one that compiles."""
    work()
    return float(np.median([cpu_seconds(work) for _ in range(5)]))


@contextmanager
def one_core() -> Iterator[None]:
    """Within, our engine sees one core and starts no threads; nothing happens where cores cannot be chosen."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
