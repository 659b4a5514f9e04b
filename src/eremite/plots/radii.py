"""The radius that was drawn, within the public list it was drawn from."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from eremite.errors import InputError
from eremite.plots.look import BLACK, panels

_MOST = 1_000
_LARGEST, _SMALLEST = 1e150, 1e-140


def checked(value: object) -> list[float]:
    """The list of radii as numbers; an error if the value is not such a list."""
    sentence = f"A picture of a radius needs a release with the list of up to {_MOST:,} radii it was drawn from."
    if not isinstance(value, tuple) or not 0 < len(value) <= _MOST:
        raise InputError(sentence)
    try:
        listed = [float(text) for text in value]
    except (TypeError, ValueError):
        raise InputError(sentence) from None
    if not all(_SMALLEST <= radius <= _LARGEST for radius in listed):
        raise InputError(sentence)
    return listed


def draw(radius: float, listed: Sequence[float]) -> Figure:
    """A figure with all radii as light dots, and the one drawn as a labeled dark dot."""
    figure, [axes] = panels(1, 1, 7.2, 2.3)
    axes.spines[["left"]].set_visible(False)
    axes.plot(listed, [0] * len(listed), "o", color="0.75", ms=6)
    axes.plot([radius], [0], "o", color=BLACK, ms=10, zorder=3)
    axes.annotate(
        f"{radius:g}", (radius, 0), xytext=(0, 11), textcoords="offset points", ha="center", fontsize=13
    )  # fmt: skip
    axes.set(xscale="log", yticks=[], ylim=(-1, 1), xlabel="radius; light: the public list")
    axes.set_xlim(min(*listed, radius) / 1.25, max(*listed, radius) * 1.25)
    return figure
