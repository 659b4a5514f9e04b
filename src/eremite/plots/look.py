"""How the figures look: names beside their lines, colors that color-blind readers and gray print keep apart."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from eremite.plots.files import title
from eremite.plots.picture import Picture

# Okabe and Ito's colors; every line has a style of its own besides.
BLACK, ORANGE, BLUE, GREEN, RED, GRAY = "#000000", "#E69F00", "#0072B2", "#009E73", "#D55E00", "0.45"
# Words are thinner than lines: the same hues, dark enough on white to be read (a contrast of 4.5).
_DARKER = {ORANGE: "#946600", GREEN: "#007A59", RED: "#B85100"}
DASHED, DOTTED, DASHDOT = (0, (4, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2))
Style = str | tuple[float, tuple[float, ...]]
_LEADING = 12.0  # points between two names


@dataclass(frozen=True, slots=True)
class Line:
    """A line with its name at its right end."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    color: str
    style: Style = "-"


def ink(color: str) -> str:
    """The color for words about what is drawn in this one."""
    return _DARKER.get(color, color)


def panels(
    rows: int, columns: int, width: float, height: float, ratios: Sequence[float] | None = None
) -> tuple[Figure, list[Axes]]:
    """Axes row by row, open at the top and on the right; `ratios` of the widths of columns."""
    figure = Picture(figsize=(width, height), layout=ConstrainedLayoutEngine(w_pad=0.12))
    grid = [axes for row in figure.subplots(rows, columns, squeeze=False, width_ratios=ratios) for axes in row]
    for axes in grid:
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=9)
    return figure, grid


def plot(axes: Axes, lines: Sequence[Line]) -> None:
    """Lines without names."""
    for line in lines:
        axes.plot(line.x, line.y, color=line.color, ls=line.style, lw=1.8)


def name_ends(axes: Axes, lines: Sequence[Line]) -> None:
    """Names at the right ends, moved apart where they would overlap. To be called when all limits are set."""
    figure = axes.get_figure()
    assert isinstance(figure, Figure)  # noqa: S101 -- axes of `panels`
    figure.draw_without_rendering()
    in_points = 72 / figure.dpi
    heights = [float(axes.transData.transform((line.x[-1], line.y[-1]))[1]) * in_points for line in lines]
    for line, height, place in zip(lines, heights, _apart(heights), strict=True):
        axes.annotate(
            line.name, (line.x[-1], line.y[-1]), xytext=(5, place - height), textcoords="offset points",
            color=ink(line.color), va="center", fontsize=9, annotation_clip=False,
        )  # fmt: skip


def _apart(heights: Sequence[float]) -> list[float]:
    """The same order, each at least a line above the one below; groups stay centered where they were."""
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    groups: list[list[int]] = []
    for i in order:
        groups.append([i])
        while len(groups) > 1 and _top(groups[-2], heights) + _LEADING > _bottom(groups[-1], heights):
            groups[-2:] = [groups[-2] + groups[-1]]
    placed = list(heights)
    for group in groups:
        for place, i in enumerate(group):
            placed[i] = _bottom(group, heights) + place * _LEADING
    return placed


def _bottom(group: Sequence[int], heights: Sequence[float]) -> float:
    return sum(heights[i] for i in group) / len(group) - _LEADING * (len(group) - 1) / 2


def _top(group: Sequence[int], heights: Sequence[float]) -> float:
    return _bottom(group, heights) + _LEADING * (len(group) - 1)


def legible(values: Sequence[float]) -> list[float]:
    """Values in order whose numbers do not run into each other on a logarithmic axis; the ends stay."""
    rising = sorted(set(values))
    least = (rising[-1] / rising[0]) ** 0.05
    kept = rising[:1]
    for value in rising[1:-1]:
        if value >= kept[-1] * least and rising[-1] >= value * least:
            kept.append(value)
    return kept + rising[1:][-1:]


def ticks(axes: Axes, values: Sequence[float]) -> None:
    """A logarithmic x axis with plain numbers."""
    axes.set_xscale("log")
    axes.set_xticks(list(values), [f"{value:g}" for value in values])
    axes.minorticks_off()


def save(figure: Figure, folder: Path, name: str) -> None:
    """As SVG and PNG; the same files for the same figure."""
    with mpl.rc_context({"svg.hashsalt": "eremite"}):
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None, "Title": title(figure)})
        figure.savefig(folder / f"{name}.png", dpi=150, metadata={"Software": None, "Title": title(figure)})
