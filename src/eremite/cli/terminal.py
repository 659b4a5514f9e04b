"""What a terminal shows: text with a frame on stdout, a sign of life on stderr."""

import sys
from contextlib import AbstractContextManager, nullcontext

from rich.console import Console, RenderableType

_WIDEST = 100


def framed(content: RenderableType) -> str:
    """The text of a rich object, as wide as stdout, without colours where stdout is no terminal."""
    console = Console(highlight=False)
    with console.capture() as captured:
        console.print(content, width=min(console.width, _WIDEST))
    return captured.get().rstrip("\n")


def working(words: str) -> AbstractContextManager[object]:
    """A sign on stderr that work goes on, if a person looks at it. How far it is depends on the rows, and is not said.

    rich takes FORCE_COLOR for a terminal; a file with spinning signs in it helps nobody, so stderr itself is asked.
    """
    if not sys.stderr.isatty():
        return nullcontext()
    return Console(stderr=True).status(words)
