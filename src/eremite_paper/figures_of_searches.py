"""Figures on subspaces, on detection and on computing cost."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from eremite.plots.look import (
    BLACK,
    BLUE,
    DASHDOT,
    DASHED,
    DOTTED,
    GRAY,
    ORANGE,
    RED,
    Line,
    Style,
    name_ends,
    panels,
    plot,
    ticks,
)
from eremite_paper.claims_on_counts import mean
from eremite_paper.computing_cost import GROWN, OURS, PAPERS
from eremite_paper.scenario_1 import BOUNDED, SYNTHETIC_1
from eremite_paper.scenario_2 import CORRECTED, OUR_OWN, PRINTED
from eremite_paper.scenario_3 import PUBLIC_POINTS, ROWS
from eremite_paper.tables import Cell, Row, chosen, number, values

_STYLE: dict[str, tuple[str, str, Style]] = {
    PRINTED: ("as printed (costs $2\\epsilon$)", ORANGE, DASHED),
    CORRECTED: ("with the factor 2", BLUE, DASHDOT),
    OUR_OWN: ("ours", BLACK, "-"),
}

_POINTS = {
    SYNTHETIC_1: ("Synthetic 1 (d = 2)", BLACK, "o"),
    BOUNDED: ("Adult 1, public bounds (d = 7)", BLUE, "s"),
}


def search(rows: Sequence[Row], table: str) -> Figure:
    """Scenario 2: precision above, recall below, over epsilon, for h = 1 to 4."""
    some = chosen(rows, table=table)
    hs = values(some, "h")
    figure, grid = panels(2, len(hs), 11, 5.2)
    for place, axes in enumerate(grid):
        what, h = ("precision", "recall")[place // len(hs)], hs[place % len(hs)]
        lines = _lines(chosen(some, h=h), what)
        plot(axes, lines)
        axes.set(ylim=(0, 1.02), xlim=(0.2, 3.2))
        ticks(axes, [0.2, 0.4, 0.8, 1.6, 3.2])
        if place < len(hs):
            axes.set_title(f"h = {h}", fontsize=10)
        else:
            axes.set_xlabel("$\\epsilon$")
        if place % len(hs) == 0:
            axes.set_ylabel(what)
    name_ends(grid[len(hs) - 1], _lines(chosen(some, h=hs[-1]), "precision"))
    figure.suptitle(f"{table}: the two columns with the most outliers", fontsize=11)
    return figure


def adult_search(rows: Sequence[Row]) -> Figure:
    """Adult in full: the share of the h drawn sets of columns that are right."""
    hs = values(rows, "h")
    figure, grid = panels(1, len(hs), 11, 3.4)
    for axes, h in zip(grid, hs, strict=True):
        plot(axes, _lines(chosen(rows, h=h), "right"))
        axes.set(ylim=(0, 1.02), xlim=(0.1, 2), xlabel="$\\epsilon$")
        ticks(axes, [0.1, 0.2, 0.5, 1, 2])
        axes.set_title(f"h = {h}", fontsize=10)
    grid[0].set_ylabel("share of right ones")
    first = rows[0]
    figure.suptitle(
        f"Adult, {first['n']:,} rows: the h of {first['candidates']} sets of columns with the most outliers",
        fontsize=11,
    )
    name_ends(grid[-1], _lines(chosen(rows, h=hs[-1]), "right"))
    return figure


def detection(rows: Sequence[Row]) -> Figure:
    """Scenario 3: the share of outliers found, over epsilon."""
    figure, [axes] = panels(1, 1, 7.0, 4.0)
    public = chosen(rows, candidates=PUBLIC_POINTS)
    styles: list[tuple[str, Style]] = [(BLACK, "-"), (BLUE, DASHED), (RED, DASHDOT)]
    looks = zip(values(public, "n"), styles, strict=False)
    lines = [_found(chosen(public, n=n), f"public points, N = {n:,}", color, style) for n, (color, style) in looks]
    among = chosen(rows, candidates=ROWS)
    lines.append(_found(among, f"rows themselves, N = {among[0]['n']}", ORANGE, DASHED))
    plot(axes, lines)
    axes.set(ylim=(0, 1.02), xlim=(0.2, 3.2), xlabel="$\\epsilon$", ylabel="share of the ten outliers found, h = 10")
    ticks(axes, [0.2, 0.4, 0.8, 1.6, 3.2])
    name_ends(axes, lines)
    return figure


def calls(rows: Sequence[Row]) -> Figure:
    """The number of enclosing balls that Algorithm 1 computes, over the size of the window."""
    figure, [axes] = panels(1, 1, 7.0, 4.2)
    for table, (_, color, marker) in _POINTS.items():
        for done, face in ((1, color), (0, "white")):
            some = chosen(rows, table=table, done=done)
            axes.plot(_of(some, "size"), _of(some, "calls"), marker, color=color, mfc=face, ms=4.5, zorder=3)
    most = max(_of(rows, "calls"))
    sizes = [size for size in range(1, 60) if 2 ** (size + 1) <= 3 * most]
    axes.plot(sizes, [2 ** (size + 1) for size in sizes], color=GRAY, ls=DOTTED, lw=1.5)
    _beside(axes, "$2^{|P|+1}$", (sizes[-1], 2.0 ** (sizes[-1] + 1)), (-8, 0), GRAY, "right")
    axes.set(yscale="log", ylim=(0.7, 5 * most), xlabel="rows in the window $|P|$")
    axes.set_ylabel("calls of the enclosing ball")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    _key(axes, 0.2)
    axes.set_title("Algorithm 1; hollow: given up", fontsize=10)
    return figure


def seconds(rows: Sequence[Row]) -> Figure:
    """Time over the size of the window: Algorithm 1 and our depth."""
    figure, [axes] = panels(1, 1, 7.0, 4.2)
    for table, (_, color, marker) in _POINTS.items():
        for method, face in ((PAPERS, "white"), (OURS, color)):
            some = chosen(rows, table=table, method=method)
            axes.plot(_of(some, "size"), _of(some, "seconds"), marker, color=color, mfc=face, ms=4.5)
    large = chosen(rows, table=GROWN)
    axes.plot(_of(large, "size"), _of(large, "seconds"), "-", color=BLACK, lw=1.8)
    _beside(
        axes, "Synthetic 1 with more rows", (_of(large, "size")[-1], _of(large, "seconds")[-1]), (5, 0), BLACK, "left"
    )
    axes.set(xscale="log", yscale="log", xlabel="rows in the window $|P|$", ylabel="seconds")
    _key(axes, 0.95)
    axes.set_title("hollow: Algorithm 1, up to where it was given up; filled: ours", fontsize=10)
    return figure


def _key(axes: Axes, height: float) -> None:
    """The key to the markers, in the empty corner on the right."""
    for place, (words, color, marker) in enumerate(_POINTS.values()):
        up = height - 0.07 * place
        axes.plot([0.57], [up], marker, color=color, ms=4.5, transform=axes.transAxes)
        axes.text(0.6, up, words, color=color, va="center", fontsize=9, transform=axes.transAxes)


def _beside(axes: Axes, words: str, at: tuple[float, float], shift: tuple[float, float], color: str, ha: str) -> None:
    axes.annotate(words, at, xytext=shift, textcoords="offset points", color=color, ha=ha, va="center", fontsize=9)


def _lines(rows: Sequence[Row], what: str) -> list[Line]:
    epsilons = [float(str(epsilon)) for epsilon in values(rows, "epsilon")]
    return [
        Line(words, epsilons, [mean(chosen(rows, epsilon=e, mechanism=name), what) for e in epsilons], color, style)
        for name, (words, color, style) in _STYLE.items()
    ]


def _found(rows: Sequence[Row], words: str, color: str, style: Style) -> Line:
    epsilons = [float(str(epsilon)) for epsilon in values(rows, "epsilon")]
    return Line(words, epsilons, [mean(chosen(rows, epsilon=e), "found") for e in epsilons], color, style)


def _of(rows: Sequence[Row], name: str) -> list[float]:
    return [number(row, name) for row in rows]


def named(table: Cell) -> str:
    """The name of a table as part of a file name."""
    return str(table).lower().replace(", ", "-").replace(" ", "-")
