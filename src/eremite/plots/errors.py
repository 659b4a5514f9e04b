"""Expected errors over epsilon, on logarithmic axes: lower is better, further left is cheaper."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from eremite.errors import InputError
from eremite.plots.look import (
    BLACK,
    BLUE,
    DASHDOT,
    DASHED,
    DOTTED,
    GRAY,
    GREEN,
    ORANGE,
    RED,
    Line,
    Style,
    legible,
    name_ends,
    panels,
    plot,
    ticks,
)

_FEW_DECADES = 300
_STYLES: list[tuple[str, Style]] = [
    (BLACK, "-"), (ORANGE, DASHED), (BLUE, DASHDOT), (GREEN, DOTTED), (RED, DASHED),
]  # fmt: skip


def draw_forecast(
    epsilons: Sequence[float],
    medians: Sequence[float],
    mosts: Sequence[float],
    outliers: int | None,
    within: float | None,
) -> Figure:
    """A figure with the median and 95 % error, and level lines at the count itself and the wanted error."""
    order = sorted(range(len(epsilons)), key=epsilons.__getitem__)
    x = [epsilons[i] for i in order]
    lines = [
        Line("95 % off by less", x, [mosts[i] for i in order], BLACK),
        Line("half off by less", x, [medians[i] for i in order], BLUE, DASHED),
    ]
    levels = [(f"wanted, {within:,g}", within, RED)] if within is not None else []
    return _over_epsilon(lines, [*levels, *_level(outliers)])


def draw_comparison(errors: Sequence[tuple[str, float, float]], outliers: int | None) -> Figure:
    """A figure with a line for each mechanism: its 95 % error."""
    lines = []
    for place, name in enumerate(dict.fromkeys(name for name, _, _ in errors)):
        points = sorted((epsilon, most) for other, epsilon, most in errors if other == name)
        color, style = _STYLES[place % len(_STYLES)]
        lines.append(Line(name, [x for x, _ in points], [y for _, y in points], color, style))
    return _over_epsilon(lines, _level(outliers))


def _level(outliers: int | None) -> list[tuple[str, float, str]]:
    """A level line at the count of the stand-in, if it has one."""
    return [] if outliers is None else [(f"outliers of the stand-in, {outliers:,}", float(outliers), GRAY)]


def _over_epsilon(lines: Sequence[Line], levels: Sequence[tuple[str, float, str]]) -> Figure:
    if not lines:
        raise InputError("There is no error to draw: no mechanism answers at these epsilons.")
    figure, [axes] = panels(1, 1, 7.2, 4.6)
    plot(axes, lines)
    for line in lines:
        axes.plot(line.x, line.y, "o", color=line.color, ms=4, clip_on=False)
    low, high = min(line.x[0] for line in lines), max(line.x[-1] for line in lines)
    if low == high:
        low, high = low / 2, high * 2
    flat = [Line(name, [low, high], [y, y], color, DOTTED) for name, y, color in levels if y > 0]
    plot(axes, flat)
    _axes(axes, sorted({x for line in lines for x in line.x}), (low, high))
    name_ends(axes, [*lines, *flat])
    return figure


def _axes(axes: Axes, epsilons: Sequence[float], ends: tuple[float, float]) -> None:
    axes.set(xscale="log", yscale="log", xlabel="$\\epsilon$", ylabel="rows that a count is off by")
    ticks(axes, legible(epsilons))
    axes.set_xlim(*ends)
    low, high = axes.get_ylim()
    if high / low < _FEW_DECADES:
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda rows, _: f"{rows:,.10g}"))
