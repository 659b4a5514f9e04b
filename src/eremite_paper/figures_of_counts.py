"""Figures on sensitivity, on the noise of counts, and on Adult in full."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

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
    name_ends,
    panels,
    plot,
    ticks,
)
from eremite_paper.tables import Row, chosen, number, values

_NOISE: dict[str, tuple[str, str, Style]] = {
    "theorem_4": ("Theorem 4", RED, DASHDOT),
    "global_upper": ("Global, upper bound", ORANGE, "-"),
    "global_lower": ("Global, lower bound", ORANGE, DASHED),
    "smooth_laplace": ("smooth Laplace (pure)", BLUE, DASHDOT),
    "ours": ("ours: by reach (pure)", BLACK, "-"),
    "as_plotted": ("as plotted (not proved)", GREEN, DASHED),
}
_WIDTHS: dict[str, tuple[str, str, Style]] = {
    "theorem_4": ("Theorem 4, at least", RED, DASHDOT),
    "global_laplace": ("global Laplace", ORANGE, DASHED),
    "smooth_laplace": ("smooth Laplace", BLUE, DASHDOT),
    "ours": ("ours: by reach", BLACK, "-"),
}


def bounds(rows: Sequence[Row]) -> Figure:
    """Both bounds on the global sensitivity over d, for k = 1, 3, 5."""
    figure, [axes] = panels(1, 1, 6.4, 4.0)
    lines = []
    for k, color in ((1, ORANGE), (3, BLUE), (5, BLACK)):
        some = chosen(rows, k=k)
        for bound, style in (("upper", "-"), ("lower", DASHED)):
            lines.append(Line(f"k = {k}", _column(some, "d"), _column(some, bound), color, style))
    plot(axes, lines)
    axes.annotate("upper bound  $kK_d + 1$", (10.2, 4800), rotation=33, ha="center")
    axes.annotate("lower bound  $2dk + 1$", (15, 330), ha="center")
    axes.set(yscale="log", xlabel="columns $d$", ylabel="global sensitivity of the count", xlim=(1, 24))
    name_ends(axes, lines)
    return figure


def noise(rows: Sequence[Row], table: str) -> Figure:
    """Scenario 1: the standard deviation around the true count over epsilon; a band holds 80 % of the draws."""
    some = chosen(rows, table=table)
    figure, [axes] = panels(1, 1, 7.2, 4.4)
    lines = [_with_band(axes, some, *named) for named in _NOISE.items()]
    plot(axes, lines)
    outliers = float(np.mean(_column(some, "outliers")))
    count = Line(f"true count, {outliers:.1f}", [0.1, 0.9], [outliers, outliers], GRAY, DOTTED)
    plot(axes, [count])
    axes.set(yscale="log", xlim=(0.1, 0.9), xlabel="$\\epsilon$", ylabel="standard deviation around the count")
    first = some[0]
    axes.set_title(f"{table}: N = {first['n']}, d = {first['d']}, k = {first['k']}, r = {first['r']}", fontsize=10)
    name_ends(axes, [*lines, count])
    return figure


def _with_band(axes: Axes, rows: Sequence[Row], name: str, how: tuple[str, str, Style]) -> Line:
    words, color, style = how
    epsilons = [float(str(value)) for value in values(rows, "epsilon")]
    seen = np.array([_column(chosen(rows, epsilon=epsilon), name) for epsilon in epsilons])
    low, high = np.quantile(seen, [0.1, 0.9], axis=1)
    axes.fill_between(epsilons, low, high, color=color, alpha=0.18, lw=0)
    return Line(words, epsilons, seen.mean(axis=1).tolist(), color, style)


def adult(rows: Sequence[Row]) -> Figure:
    """Adult in full: what 95 % of the answers are off by at most, divided by the count."""
    tables = values(rows, "columns")
    figure, grid = panels(1, len(tables), 10.4, 4.2)
    for axes, columns in zip(grid, tables, strict=True):
        some = chosen(rows, columns=columns)
        lines = [_width(some, name, *how) for name, how in _WIDTHS.items()]
        plot(axes, lines)
        axes.axhline(1, color=GRAY, lw=0.9, ls=DOTTED)
        axes.annotate(
            "the count itself", (0.9, 1), xytext=(0, 4), textcoords="offset points", ha="right", color=GRAY, fontsize=9
        )
        first = some[0]
        named = str(columns) if first["d"] == 2 else f"all {first['d']} numeric columns"
        axes.set_title(f"{named}: {first['outliers']} outliers of {first['n']:,} rows", fontsize=10)
        axes.set(yscale="log", xlim=(0.1, 2), xlabel="$\\epsilon$")
        ticks(axes, [0.1, 0.2, 0.5, 1, 2])
    low, high = min(axes.get_ylim()[0] for axes in grid), max(axes.get_ylim()[1] for axes in grid)
    for axes, columns in zip(grid, tables, strict=True):
        axes.set_ylim(low, high)
        name_ends(axes, [_width(chosen(rows, columns=columns), name, *how) for name, how in _WIDTHS.items()])
    grid[0].set_ylabel("95 % half-width / count")
    return figure


def _width(rows: Sequence[Row], name: str, words: str, color: str, style: Style) -> Line:
    told = [row for row in rows if row[name] is not None]
    return Line(words, _column(told, "epsilon"), _column(told, f"{name}_relative"), color, style)


def _column(rows: Sequence[Row], name: str) -> list[float]:
    return [number(row, name) for row in rows]
