"""The style of all figures: names beside their lines, and colors for color-blind readers and gray print."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from eremite.plots.files import title
from eremite.plots.picture import Picture

# Okabe and Ito's colors; every line also has its own style.
BLACK, ORANGE, BLUE, GREEN, RED, GRAY = "#000000", "#E69F00", "#0072B2", "#009E73", "#D55E00", "0.45"
# Darker hues for text, which is thinner than lines: a contrast of 4.5 on white.
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
    """The color for text about a line of this color."""
    return _DARKER.get(color, color)


def panels(
    rows: int, columns: int, width: float, height: float, ratios: Sequence[float] | None = None
) -> tuple[Figure, list[Axes]]:
    """A figure and its axes, row by row, open at the top and right; `ratios` are the relative widths of the columns."""
    figure = Picture(figsize=(width, height), layout=ConstrainedLayoutEngine(w_pad=0.12))
    grid = [axes for row in figure.subplots(rows, columns, squeeze=False, width_ratios=ratios) for axes in row]
    for axes in grid:
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=9)
    return figure, grid


def plot(axes: Axes, lines: Sequence[Line]) -> None:
    """Draw the lines, without their names."""
    for line in lines:
        axes.plot(line.x, line.y, color=line.color, ls=line.style, lw=1.8)


def name_ends(axes: Axes, lines: Sequence[Line]) -> None:
    """Write names at the right ends of lines, moved apart so that they do not overlap. Set all limits first."""
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
    """Heights in the same order, each at least `_LEADING` above the one below; groups keep their centers."""
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
    """A sorted selection of values, with both ends, whose labels do not overlap on a logarithmic axis."""
    rising = sorted(set(values))
    least = (rising[-1] / rising[0]) ** 0.05
    kept = rising[:1]
    for value in rising[1:-1]:
        if value >= kept[-1] * least and rising[-1] >= value * least:
            kept.append(value)
    return kept + rising[1:][-1:]


def ticks(axes: Axes, values: Sequence[float]) -> None:
    """Make the x axis logarithmic, with plain numbers at these values."""
    axes.set_xscale("log")
    axes.set_xticks(list(values), [f"{value:g}" for value in values])
    axes.minorticks_off()


def save(figure: Figure, folder: Path, name: str) -> None:
    """Write the figure as SVG and PNG; the same figure always gives the same files."""
    with mpl.rc_context({"svg.hashsalt": "eremite"}):
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None, "Title": title(figure)})
        figure.savefig(folder / f"{name}.png", dpi=150, metadata={"Software": None, "Title": title(figure)})
