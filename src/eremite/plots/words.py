"""Titles and footers of pictures. Names in them are cut, and never read as mathematics, whatever they hold."""

from collections.abc import Iterable, Sequence
from textwrap import fill
from typing import Protocol

from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from eremite.names import list_names, show_name
from eremite.plots.look import GRAY

#: Characters of a name that fit into a picture.
LONGEST_NAME = 28
_LETTERS_AN_INCH = 12.0  # in a title


def list_columns(names: Sequence[str]) -> str:
    """The columns as a list that fits into the title of a picture."""
    return list_names(names, most=6, show=lambda name: show_name(name, LONGEST_NAME))


def outlier(
    min_neighbors: int,
    radius: float | None,
    one: str = "row",
    others: str = "other row",
    within: Sequence[str] = (),
) -> str:
    """The definition of an outlier in words: `one` is an outlier if few `others` are near, and agree with it."""
    near = "the radius" if radius is None else f"{radius:g}"
    alike = f" that agree with it on {list_columns(within)}" if within else ""
    number = f"{min_neighbors:,} {others}{'s' * (min_neighbors != 1)}"
    return f"outlier: a {one} with fewer than {number}{alike} within {near}"


class Definition(Protocol):
    """The definition of an outlier."""

    @property
    def min_neighbors(self) -> int: ...

    @property
    def radius(self) -> float: ...

    @property
    def within(self) -> Sequence[str]: ...


def frame(figure: Figure, title: str, *footer: str) -> Figure:
    """The figure with a title, and a footer below it."""
    engine = figure.get_layout_engine()
    if isinstance(engine, ConstrainedLayoutEngine):
        engine.set(h_pad=0.1)
    letters = figure.get_figwidth() * _LETTERS_AN_INCH
    figure.suptitle(fill(title, round(letters)), fontsize=11, parse_math=False)
    below = "\n".join(fill(line, round(letters * 1.3)) for line in footer)
    figure.supxlabel(below, fontsize=8, color=GRAY, parse_math=False)
    return figure


def forecast_frame(figure: Figure, title: str, definition: Definition, stand_in: str, notes: Iterable[str]) -> Figure:
    """The figure of a forecast, with a footer that says which public rows it is based on."""
    return frame(
        figure,
        title,
        "; ".join([outlier(definition.min_neighbors, definition.radius, within=definition.within), *notes]),
        f"forecast on {stand_in}",
        "no private row was looked at, nothing was spent",
    )
