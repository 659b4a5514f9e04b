"""The figure of docs/relations.md: tables that are neighbors under each relation."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from benchmarks.look import BLACK, BLUE, ORANGE, panels, save

_SAME, _GONE = "0.82", "none"
_ROWS, _HEIGHT, _WIDTH = 5, 0.7, 2.0
_CHANGED = 2  # the place of the row that differs


def neighbors(path: Path) -> None:
    """Left: one row replaced. Right: one row removed and another one added, which are two steps."""
    figure, (left, right) = panels(2, 9.6, ratios=(2, 3))
    _tables(left, [ORANGE, BLUE], ["$X$", "$X'$"])
    _title(left, 'neighbors = "replace"', "the number of rows stays, and is public")
    _step(left, 0, "a row is replaced")
    _tables(right, [ORANGE, _GONE, BLUE], ["$X$", "$X'$", "$X''$"])
    _title(right, 'neighbors = "add-remove"', "the number of rows differs, and is private")
    _step(right, 0, "a row is removed")
    _step(right, 1, "a row is added")
    _bracket(right, "a replacement: two steps, a factor of $e^{2\\epsilon}$")
    save(figure, path)


def _tables(axes: Axes, colors: Sequence[str], names: Sequence[str]) -> None:
    """Tables side by side that differ in one row, which has the color given for each."""
    for place, (color, name) in enumerate(zip(colors, names, strict=True)):
        for row in range(_ROWS):
            face = color if row == _CHANGED else _SAME
            edge, style = ("0.6", (0, (2, 2))) if face == _GONE else (BLACK, "-")
            corner = (_left(place), (_ROWS - 1 - row) * 1.0)
            axes.add_patch(Rectangle(corner, _WIDTH, _HEIGHT, facecolor=face, edgecolor=edge, ls=style, lw=0.9))
        axes.annotate(name, (_left(place) + _WIDTH / 2, _ROWS), ha="center", va="bottom")
    axes.set(xlim=(-0.7, _left(len(colors) - 1) + _WIDTH + 0.7), ylim=(-2.3, _ROWS + 0.8))
    axes.set_axis_off()


def _left(place: int) -> float:
    return place * (_WIDTH + 2.0)


def _step(axes: Axes, place: int, words: str) -> None:
    """An arrow in both directions from a table to the next: neither is the first."""
    start, end = _left(place) + _WIDTH + 0.2, _left(place + 1) - 0.2
    height = _ROWS - 1 - _CHANGED + _HEIGHT / 2
    axes.annotate("", (end, height), (start, height), arrowprops={"arrowstyle": "<->", "color": BLACK})
    axes.annotate(words, ((start + end) / 2, -0.5), ha="center", va="center", fontsize=8)
    axes.annotate("factor $e^{\\epsilon}$", ((start + end) / 2, height + 0.3), ha="center", va="bottom", fontsize=8)


def _bracket(axes: Axes, words: str) -> None:
    start, end = _left(0) + _WIDTH / 2, _left(2) + _WIDTH / 2
    axes.plot([start, start, end, end], [-0.9, -1.2, -1.2, -0.9], color=BLACK, lw=0.9)
    axes.annotate(words, ((start + end) / 2, -1.4), ha="center", va="top", fontsize=9)


def _title(axes: Axes, name: str, words: str) -> None:
    axes.set_title(f"{name}\n{words}", fontsize=10)
