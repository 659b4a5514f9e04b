"""A bar on stderr while something takes its time, if a person looks at it.

How long a search takes depends on the rows. Here they are made up; of a private table only the custodian may see a bar.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn


@contextmanager
def bar(words: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """Takes how far the work is, out of `total`; without one it only says that work goes on. Leaves nothing behind."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(words, total=total)
        yield lambda done: progress.update(task, completed=done)
