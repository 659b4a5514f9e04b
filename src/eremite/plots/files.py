"""Pictures as files, and as SVG for a page."""

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from warnings import catch_warnings, filterwarnings

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from eremite.errors import InputError

SUFFIXES = (".svg", ".png", ".pdf")
"""The endings that the file of a picture may have."""

# Without anything that could differ between two runs.
_METADATA: dict[str, dict[str, Any]] = {
    ".svg": dict.fromkeys(("Date", "Creator", "Format", "Type")),
    ".png": {"Software": None},
    ".pdf": dict.fromkeys(("CreationDate", "Creator", "Producer")),
}


def checked_file(path: Path) -> Path:
    """The path; an error if no picture can be written there. Call it before anything is charged; it writes nothing."""
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"A picture's file must end in {', '.join(SUFFIXES)}; {path} does not.")
    try:
        if path.exists():
            path.open("ab").close()
        else:
            TemporaryFile(dir=path.parent).close()
    except OSError as error:
        raise _not_written(path, error) from None
    return path


def write(figure: Figure, path: Path) -> None:
    """Write the figure as SVG, PNG or PDF, by the ending; the same figure always gives the same file."""
    kind = checked_file(path).suffix.lower()
    try:
        with _repeatable():
            figure.savefig(path, format=kind[1:], dpi=150, metadata=_METADATA[kind] | {"Title": title(figure)})
    except OSError as error:
        raise _not_written(path, error) from None


def svg(figure: Figure) -> str:
    """One <svg> element for a page: no prolog, no script, and no style or id that could clash with others on the page.

    Text is drawn as outlines, so it looks the same everywhere. For screen readers, the figure's title is its label, and
    the text below it is its description.
    """
    text = StringIO()
    with _repeatable():
        figure.savefig(text, format="svg", metadata=_METADATA[".svg"])
    drawn = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->", "", text.getvalue(), flags=re.DOTALL)
    drawn = drawn[drawn.index("<svg") :].strip()
    root = (
        f'<svg role="img" aria-label="{_escaped(title(figure))}" style="stroke-linejoin: round; stroke-linecap: butt"'
    )
    own = f"e{hashlib.sha256(drawn.encode()).hexdigest()[:8]}"
    named = root + re.sub(r'( id="|href="#|url\(#)', rf"\g<1>{own}-", drawn.removeprefix("<svg"))
    return named.replace(">", f"><desc>{_escaped(figure.get_supxlabel())}</desc>", 1)


def title(figure: Figure) -> str:
    """A title on one line: the figure's own, those of its axes, or else the labels of the axes."""
    titles = [axes.get_title() for axes in figure.axes if axes.get_title()]
    return " ".join((figure.get_suptitle() or ", ".join(titles or map(_drawn, figure.axes))).split())


def _drawn(axes: Axes) -> str:
    """The labels of the axes in words: $\\epsilon$ becomes epsilon."""
    return re.sub(r"[$\\]", "", f"{axes.get_ylabel()} over {axes.get_xlabel()}")


def _escaped(words: str) -> str:
    for letter, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        words = words.replace(letter, entity)
    return words


@contextmanager
def _repeatable() -> Iterator[None]:
    """Fix the ids in a file, and silence warnings about letters that no font has: they are drawn as boxes."""
    with mpl.rc_context({"svg.hashsalt": "eremite", "svg.fonttype": "path"}), catch_warnings():
        filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def _not_written(path: Path, error: OSError) -> InputError:
    return InputError(f"Cannot write the picture {path}: {error.strerror}; choose another file.")
