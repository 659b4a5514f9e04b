"""A forecast for a person to read."""

from itertools import chain

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.text import Text

OTHER_ERROR = "A private table that is not like these rows has another error. Nothing was spent."


def forecast_panel(head: list[str], *parts: RenderableType) -> Panel:
    """Lines that stand out, then the parts, an empty line before each."""
    spaced = chain.from_iterable((Text(), part) for part in parts)
    content = Group(Text("\n".join(head), style="bold"), *spaced)
    return Panel(content, title="forecast", title_align="left", padding=(1, 2))
