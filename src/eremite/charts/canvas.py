"""Elements of SVG, escaped, in the colors of the page around them.

Ink is the color of the surrounding text, so a picture follows light and dark schemes, of pages and of notebooks. Text
is text, in the reader's font; how wide it gets is estimated, and names are cut to what fits.
"""

from html import escape
from unicodedata import east_asian_width

#: Width of every picture, in its own units. A phone of 400 pixels shows about 0.9 pixels a unit.
WIDTH = 420
SIZE = 13  # of letters
ACCENT = "var(--eremite-accent, #2b7bba)"
_LETTER, _STRONG = 0.56, 0.7  # widths of letters as parts of their size, in wide fonts
_ROOT = (
    "display: block; width: 100%; max-width: 34rem; height: auto; fill: currentColor; "
    f'font: {SIZE}px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'
)


def picture(height: float, title: str, parts: list[str]) -> str:
    """One <svg> element: no script, no style sheet, no id, nothing loaded. Its title is for screen readers."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {_number(height)}" role="img" '
        f'aria-label="{escape(title)}" style="{escape(_ROOT)}">{"".join(parts)}</svg>'
    )


def text(x: float, y: float, words: str, *, anchor: str = "start", soft: bool = False, strong: bool = False) -> str:
    """Words on one line; `anchor` is start, middle or end; `y` is their base line."""
    style = ' opacity="0.72"' * soft + ' font-weight="600"' * strong
    return f'<text x="{_number(x)}" y="{_number(y)}" text-anchor="{anchor}"{style}>{escape(words)}</text>'


def line(x: float, y: float, to_x: float, to_y: float, *, width: float = 1, faint: bool = True, dash: str = "") -> str:
    """A straight line in ink, faint unless it carries data."""
    style = ' stroke-opacity="0.3"' * faint + f' stroke-dasharray="{dash}"' * bool(dash)
    ends = f'x1="{_number(x)}" y1="{_number(y)}" x2="{_number(to_x)}" y2="{_number(to_y)}"'
    return f'<line {ends} stroke="currentColor" stroke-width="{_number(width)}"{style}/>'


def bar(x: float, y: float, width: float, height: float, *, opacity: float = 1) -> str:
    """A bar in the accent color."""
    shape = f'x="{_number(x)}" y="{_number(y)}" width="{_number(width)}" height="{_number(height)}"'
    return f'<rect {shape} rx="1.5" style="fill: {ACCENT}"{_opacity(opacity)}/>'


def box(x: float, y: float, side: float, *, filled: bool) -> str:
    """A square, filled with the accent color, or its outline."""
    style = f'style="fill: {ACCENT}"' if filled else 'fill="none" stroke="currentColor" stroke-opacity="0.4"'
    return f'<rect x="{_number(x)}" y="{_number(y)}" width="{_number(side)}" height="{_number(side)}" rx="2" {style}/>'


def band(y: float, height: float) -> str:
    """A faint stripe behind a line of a table."""
    return f'<rect x="0" y="{_number(y)}" width="{WIDTH}" height="{_number(height)}" opacity="0.06"/>'


def dot(x: float, y: float, radius: float, *, opacity: float = 1) -> str:
    """A round dot in ink."""
    return f'<circle cx="{_number(x)}" cy="{_number(y)}" r="{_number(radius)}"{_opacity(opacity)}/>'


def width_of(words: str, *, strong: bool = False) -> float:
    """About how wide words get, rather more than less; letters of Chinese, Japanese and Korean are as wide as high."""
    usual = _STRONG if strong else _LETTER
    return SIZE * sum(1 if east_asian_width(letter) in "WF" else usual for letter in words)


def fitted(words: str, width: float) -> str:
    """The words, cut with an ellipsis if they are wider."""
    while len(words) > 1 and width_of(words) > width:
        words = f"{words[:-2]}\N{HORIZONTAL ELLIPSIS}"
    return words


def label(x: float, y: float, words: str, *, strong: bool = False) -> str:
    """Words centered at `x`, moved inwards if they would leave the picture."""
    half = width_of(words, strong=strong) / 2
    return text(min(max(x, half), WIDTH - half), y, words, anchor="middle", strong=strong)


def _opacity(share: float) -> str:
    return "" if share == 1 else f' opacity="{share:g}"'


def _number(value: float) -> str:
    """A length with one decimal at most; pictures of the same record are the same text."""
    return f"{value:.1f}".removesuffix(".0")
