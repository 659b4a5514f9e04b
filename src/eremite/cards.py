"""A record as a notebook shows it and as `print` does: the same words, as HTML and as text."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from textwrap import fill

_WIDEST = 88  # letters of a line of text
_GAP = "  "


@dataclass(frozen=True, slots=True)
class Card:
    """A sentence, a table if there is one, a picture if there is one, and facts below."""

    title: str
    facts: Mapping[str, str]
    heads: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    picture: str = field(default="", repr=False)  # an <svg> element

    @property
    def sentence(self) -> str:
        """The title, beginning with a capital."""
        return self.title[:1].upper() + self.title[1:]

    def html(self) -> str:
        """One element that looks right without any style. All texts are escaped."""
        listed = _lines(self.heads, self.rows) if self.rows else ""
        facts = _lines((), [(name.replace(" ", "\N{NO-BREAK SPACE}"), text) for name, text in self.facts.items()])
        drawn = (
            f'<div style="max-width: 30em; margin: 0.5em 0">{self.picture}</div>' if self.picture else ""
        )  # letters as large as text
        return f"<div><p><strong>{escape(self.sentence)}</strong></p>{listed}{drawn}{facts}</div>"

    def text(self) -> str:
        """The same without the picture, in lines of at most 88 letters where words allow it."""
        heads = [self.heads] if any(self.heads) else []
        parts = [fill(self.sentence, _WIDEST), _aligned([*heads, *self.rows]), _aligned([*self.facts.items()])]
        return "\n\n".join(filter(None, parts))


class Shown:
    """A record that notebooks and `print` show by its card."""

    __slots__ = ()

    @abstractmethod
    def _card(self) -> Card: ...

    def _repr_html_(self) -> str:
        return self._card().html()

    def __str__(self) -> str:
        return self._card().text()


def _lines(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A plain table; a notebook's own style would align text right."""
    left = ' style="text-align: left; vertical-align: top; padding-right: 1em"'
    top = f"<tr>{''.join(f'<th{left}>{escape(head)}</th>' for head in heads)}</tr>" if heads else ""
    body = "".join(f"<tr>{''.join(f'<td{left}>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>{top}{body}</table>"


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    """Texts in columns, the last one wrapped."""
    widths = [max(map(len, cells)) for cells in zip(*(row[:-1] for row in rows), strict=True)]
    return "\n".join(_line(row, widths) for row in rows)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    start = "".join(f"{cell:<{width}}{_GAP}" for cell, width in zip(row, widths, strict=False))
    room = max(_WIDEST, len(start) + 30)
    return fill(row[-1], room, initial_indent=start, subsequent_indent=" " * len(start)).rstrip() or start.rstrip()
