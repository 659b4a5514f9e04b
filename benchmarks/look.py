"""How the figures of the documentation look."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
mpl.rcParams["svg.hashsalt"] = "eremite"

import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

from eremite.plots.look import BLACK, BLUE, GREEN, ORANGE, RED, ink  # noqa: E402

__all__ = ["BLACK", "BLUE", "GREEN", "ORANGE", "RED", "label", "panels", "save"]


def panels(count: int, width: float, ratios: Sequence[float] | None = None) -> tuple[Figure, list[Axes]]:
    """Axes side by side, open at the top and on the right; as wide as each other, or in these ratios."""
    figure, grid = plt.subplots(
        1, count, figsize=(width, 4.0), layout="constrained", squeeze=False, width_ratios=ratios
    )
    for axes in grid[0]:
        axes.spines[["top", "right"]].set_visible(False)
    return figure, list(grid[0])


def label(axes: Axes, text: str, at: tuple[float, float], color: str, shift: tuple[float, float] = (5, 0)) -> None:
    """A name beside its line, from the left."""
    axes.annotate(
        text, at, xytext=shift, textcoords="offset points", color=ink(color), va="center", annotation_clip=False
    )  # fmt: skip


def save(figure: Figure, path: Path) -> None:
    """The same file for the same figure."""
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
