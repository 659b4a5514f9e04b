"""A picture as a file, or as SVG to put into a page."""

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
"""What a picture's file may be called at the end."""

# Whatever could differ between two runs is left out.
_METADATA: dict[str, dict[str, Any]] = {
    ".svg": dict.fromkeys(("Date", "Creator", "Format", "Type")),
    ".png": {"Software": None},
    ".pdf": dict.fromkeys(("CreationDate", "Creator", "Producer")),
}


def checked_file(path: Path) -> Path:
    """The path, if a picture can be written there: to be asked before anything is charged. Writes nothing."""
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
    """As SVG, PNG or PDF, by the end of the name; the same file for the same figure."""
    kind = checked_file(path).suffix.lower()
    try:
        with _repeatable():
            figure.savefig(path, format=kind[1:], dpi=150, metadata=_METADATA[kind] | {"Title": title(figure)})
    except OSError as error:
        raise _not_written(path, error) from None


def svg(figure: Figure) -> str:
    """One <svg> element to put into a page: no prolog, no script, no style or name that others on the page could meet.

    Letters are drawn as outlines, so it looks the same everywhere; for those who have it read aloud, the figure's title
    is its name, and the words below it are its description.
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
    """What the figure shows, on one line: its title, those of its parts, or else what is drawn over what."""
    titles = [axes.get_title() for axes in figure.axes if axes.get_title()]
    return " ".join((figure.get_suptitle() or ", ".join(titles or map(_drawn, figure.axes))).split())


def _drawn(axes: Axes) -> str:
    """Formulas as words: $\\epsilon$ is epsilon."""
    return re.sub(r"[$\\]", "", f"{axes.get_ylabel()} over {axes.get_xlabel()}")


def _escaped(words: str) -> str:
    for letter, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        words = words.replace(letter, entity)
    return words


@contextmanager
def _repeatable() -> Iterator[None]:
    """The same names within a file each time; no warning about a letter that no font has: it is drawn as a box."""
    with mpl.rc_context({"svg.hashsalt": "eremite", "svg.fonttype": "path"}), catch_warnings():
        filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def _not_written(path: Path, error: OSError) -> InputError:
    return InputError(f"Cannot write the picture {path}: {error.strerror}; choose another file.")
