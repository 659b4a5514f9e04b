"""Simulated chances over epsilon, with bands for the error of the simulation."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from eremite.plots.look import (
    BLACK,
    BLUE,
    DASHED,
    DOTTED,
    GREEN,
    RED,
    Line,
    Style,
    legible,
    name_ends,
    panels,
    plot,
    ticks,
)

_STYLES: list[tuple[str, Style]] = [(BLACK, "-"), (BLUE, DASHED), (GREEN, DOTTED)]


def draw(
    epsilons: Sequence[float], chances: Sequence[tuple[str, Sequence[float]]], error: float, wanted: float | None
) -> Figure:
    """A figure with a line and a band for each named list of chances, and a level line at the wanted chance."""
    figure, [axes] = panels(1, 1, 7.6, 4.4)
    order = sorted(range(len(epsilons)), key=epsilons.__getitem__)
    x = [epsilons[i] for i in order]
    lines = [
        Line(name, x, [values[i] for i in order], color, style)
        for (name, values), (color, style) in zip(chances, _STYLES, strict=False)
    ]
    plot(axes, lines)
    for line in lines:
        low, high = [max(y - error, 0) for y in line.y], [min(y + error, 1) for y in line.y]
        axes.fill_between(x, low, high, color=line.color, alpha=0.15, lw=0)
        axes.vlines(x, low, high, color=line.color, lw=1.2)
        axes.plot(x, line.y, "o", color=line.color, ms=4, clip_on=False)
    ends = (x[0], x[-1]) if x[0] < x[-1] else (x[0] / 2, x[0] * 2)
    flat = [] if wanted is None else [Line(f"wanted, {wanted:g}", ends, [wanted, wanted], RED, DOTTED)]
    plot(axes, flat)
    axes.set(xscale="log", ylim=(0, 1.02), xlabel="$\\epsilon$", ylabel="chance")
    ticks(axes, legible(x))
    axes.set_xlim(*ends)
    name_ends(axes, [*lines, *flat])
    return figure
