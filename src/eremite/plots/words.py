"""Titles and footers of pictures. Names in them are cut, and never read as mathematics, whatever they hold."""

from collections.abc import Iterable, Sequence
from textwrap import fill
from typing import Protocol

from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from eremite.charts.words import outlier
from eremite.plots.look import GRAY

_LETTERS_AN_INCH = 12.0  # in a title
_LINE_OF_TITLE, _LINE_OF_FOOTER = 0.2, 0.15  # inches


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
    above, below = fill(title, round(letters)), "\n".join(fill(line, round(letters * 1.3)) for line in footer)
    more = max(0, above.count("\n") - 1) * _LINE_OF_TITLE + max(0, below.count("\n") - 2) * _LINE_OF_FOOTER
    figure.set_figheight(figure.get_figheight() + more)  # else long words leave no room for the picture
    figure.suptitle(above, fontsize=11, parse_math=False)
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
