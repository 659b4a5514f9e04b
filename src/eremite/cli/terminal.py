"""What a terminal shows: text with a frame on stdout, a sign of life on stderr."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console, RenderableType

_WIDEST = 100


def framed(content: RenderableType) -> str:
    """The text of a rich object, as wide as stdout, without colors where stdout is no terminal."""
    console = Console(highlight=False)
    with console.capture() as captured:
        console.print(content, width=min(console.width, _WIDEST))
    return captured.get().rstrip("\n")


@contextmanager
def working(words: str) -> Iterator[Callable[[str], None]]:
    """A sign on stderr that work goes on, if a person looks at it; it takes other words later.

    How far the work is depends on the rows, and is said only to a custodian who asked for it. rich takes FORCE_COLOR
    for a terminal; a file with spinning signs in it helps nobody, so stderr itself is asked.
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    with Console(stderr=True).status(words) as status:
        yield status.update
