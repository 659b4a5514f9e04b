"""A progress bar on stderr, if that is a terminal.

The time of a search depends on the rows. Here they are made up; with a private table only the custodian may see a bar.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn


@contextmanager
def bar(words: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """A bar that vanishes at the end, and a function that sets its progress out of `total` (None: unknown)."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(words, total=total)
        yield lambda done: progress.update(task, completed=done)
