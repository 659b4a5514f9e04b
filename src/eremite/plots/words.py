"""Words in a picture. Names come from files, and may hold anything: none is read as mathematics, none is too long."""

from collections.abc import Iterable, Sequence
from textwrap import fill
from typing import Protocol

from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from eremite.names import joined_cut, shown_name
from eremite.plots.look import GRAY

_LONGEST_NAME = 28
_MOST_NAMES = 6
_LETTERS_AN_INCH = 12.0  # of a title


def short(name: str, longest: int = _LONGEST_NAME) -> str:
    """A name on one line; what is too long ends in dots."""
    shown = shown_name(name)
    return shown if len(shown) <= longest else shown[: longest - 1] + "\N{HORIZONTAL ELLIPSIS}"


def listed(names: Sequence[str]) -> str:
    """Names of columns for a sentence: a, b and c; cut when there are many."""
    return joined_cut([short(name) for name in names], _MOST_NAMES, "columns")


def outlier(min_neighbors: int, radius: float | None, one: str = "row", others: str = "other row") -> str:
    """When `one` is an outlier, by how many `others` are near."""
    near = "the radius" if radius is None else f"{radius:g}"
    return f"outlier: a {one} with fewer than {min_neighbors:,} {others}{'s' * (min_neighbors != 1)} within {near}"


class Definition(Protocol):
    """When a row is an outlier."""

    @property
    def min_neighbors(self) -> int: ...

    @property
    def radius(self) -> float: ...


def frame(figure: Figure, title: str, *footer: str) -> Figure:
    """The figure with a title, and below it what it rests on, a line each."""
    engine = figure.get_layout_engine()
    if isinstance(engine, ConstrainedLayoutEngine):
        engine.set(h_pad=0.1)
    letters = figure.get_figwidth() * _LETTERS_AN_INCH
    figure.suptitle(fill(title, round(letters)), fontsize=11, parse_math=False)
    below = "\n".join(fill(line, round(letters * 1.3)) for line in footer)
    figure.supxlabel(below, fontsize=8, color=GRAY, parse_math=False)
    return figure


def forecast_frame(figure: Figure, title: str, definition: Definition, stand_in: str, notes: Iterable[str]) -> Figure:
    """The frame of a forecast: which rows it rests on, and that none was private."""
    return frame(
        figure,
        title,
        "; ".join([outlier(definition.min_neighbors, definition.radius), *notes]),
        f"forecast on {stand_in}",
        "no private row was looked at, nothing was spent",
    )
