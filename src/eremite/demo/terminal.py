"""The tour on stdout, for a terminal of 80 columns or a plain file."""

from collections.abc import Mapping

from rich.console import Console, Group
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table as Grid
from rich.text import Text

from eremite.demo.shell import shell
from eremite.demo.steps import Step

_WIDEST = 88


class Screen:
    """Prints headings, paragraphs and steps on stdout."""

    def __init__(self) -> None:
        self._console = Console(highlight=False)
        self._width = min(self._console.width, _WIDEST)

    def say(self, words: str, style: str = "") -> None:
        """Print a paragraph."""
        self._console.print(Text(words, style=style), width=self._width)
        self._console.print()

    def head(self, words: str) -> None:
        """Print a heading."""
        self._console.print(Rule(Text(words, style="bold"), align="left"), width=self._width)
        self._console.print()

    def files(self, named: Mapping[str, str]) -> None:
        """Print the files and what each is."""
        self._console.print(Padding(_aligned(named), (0, 2)), width=self._width)
        self._console.print()

    def step(self, number: int, step: Step) -> None:
        """Print a question and its answer."""
        self.head(f"{number}. {step.title}")
        self.say(step.why)
        self._console.print(Text(shell(step.command), style="cyan"), soft_wrap=True)
        self._console.print()
        self._console.print(_answer(step), width=self._width)
        self._console.print()
        self.say(step.reading)
        if step.exact:
            self.say(f"Because this table is made up: {step.exact}", style="magenta")


def _answer(step: Step) -> Panel:
    content = Group(Text(step.answer, style="bold"), Text(), _aligned(step.facts))
    return Panel(content, title="answer", title_align="left", padding=(1, 2))


def _aligned(rows: Mapping[str, str]) -> Grid:
    grid = Grid.grid(padding=(0, 2, 0, 0))
    for name, words in rows.items():
        grid.add_row(Text(name, no_wrap=True), Text(words, overflow="fold"))
    return grid
