"""Elements of HTML, escaped, for the pages that eremite writes."""

from collections.abc import Mapping, Sequence
from html import escape


def element(name: str, *inner: str, of: str = "") -> str:
    """An element around HTML, with a class if one is given."""
    named = f' class="{of}"' if of else ""
    return f"<{name}{named}>{''.join(inner)}</{name}>\n"


def definitions(facts: Mapping[str, str]) -> str:
    """Names and their values, as a definition list."""
    return element("dl", *(element("dt", escape(name)) + element("dd", escape(text)) for name, text in facts.items()))


def grid(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    """A table of texts; the columns at the positions in `numbers` are aligned right."""
    kinds = ["number" if place in numbers else "" for place in range(len(heads))]
    head = element("tr", *(_head(text, kind) for text, kind in zip(heads, kinds, strict=True)))
    body = [
        element("tr", *(element("td", escape(text), of=kind) for text, kind in zip(row, kinds, strict=True)))
        for row in rows
    ]
    table = element("table", element("caption", escape(caption)), element("thead", head), element("tbody", *body))
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}">{table}</div>\n'


def _head(text: str, kind: str) -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<th scope="col"{named}>{escape(text)}</th>'
