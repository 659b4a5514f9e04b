"""The code blocks of a page, in order."""

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block with its language, or a command line in an indented one (language `sh`)."""

    language: str
    text: str
    line: int


def blocks(page: str) -> Iterator[Block]:
    """All blocks of a page."""
    opened: tuple[str, str, int] | None = None  # the fence, its language, its line
    inside: list[str] = []
    for number, line in enumerate(page.splitlines(), start=1):
        fence = re.match(r"\s*(```+)(\w*)", line)
        if opened is None and fence:
            opened, inside = (fence[1], fence[2], number), []
        elif opened is None and re.match(r"    eremite ", line):
            yield Block("sh", line.strip(), number)
        elif opened is not None and line.strip() == opened[0]:
            yield Block(opened[1], "\n".join(inside), opened[2])
            opened = None
        elif opened is not None:
            inside.append(line)
    assert opened is None, f"the block of line {opened} is never closed"
