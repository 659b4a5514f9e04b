"""The figure of docs/subspaces.md: how often a planted subspace is found."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from benchmarks.look import BLACK, BLUE, ORANGE, label, panels, save
from benchmarks.picks import found, of_size
from benchmarks.subspaces import FIVE, THREE, UTILITIES, planted_field
from eremite.forecast.draws import Field

_STYLE = {"paper": (ORANGE, (0, (6, 2, 1, 2))), "dampened": (BLUE, (0, (4, 2))), "auto": (BLACK, "-")}
_PLACE = {  # of the names: a chance, and points to the right, for three columns and for five
    "paper": (0.3, {3: 7, 5: 7}),
    "dampened": (0.6, {3: -60, 5: 7}),
    "auto": (0.45, {3: 7, 5: 7}),
}
_LARGEST = 20  # epsilon that eremite takes; the paper's utility is followed further


def chances(path: Path, n: int = 10_000, runs: int = 10_000) -> None:
    """The chance over epsilon, for a planted subspace of three columns and one of five, among all of their size."""
    figure, both = panels(2, 9.6)
    for axes, plant in zip(both, (THREE, FIVE), strict=True):
        of = of_size(planted_field(plant, n), plant.size)
        for name in _STYLE:
            _line(axes, name, of, runs)
        axes.axhline(0.9, color="0.55", lw=0.8, ls=(0, (1, 2)))
        axes.set(xscale="log", xlim=(0.1, 40), ylim=(0, 1.02), xlabel="$\\epsilon$")
        axes.set_title(f"planted in {plant.size} columns of 8, {len(of.counts)} candidates", fontsize=10)
        axes.set_xticks([0.1, 0.3, 1, 3, 10, 30], ["0.1", "0.3", "1", "3", "10", "30"])
        axes.minorticks_off()
    both[0].set_ylabel("chance to find the planted subspace")
    save(figure, path)


def _line(axes: Axes, name: str, of: Field, runs: int) -> None:
    color, style = _STYLE[name]
    epsilons = np.geomspace(0.1, 40 if name == "paper" else _LARGEST, 45)
    seen = [found(UTILITIES[name], of, epsilon, runs) for epsilon in epsilons]
    axes.plot(epsilons, seen, color=color, ls=style, lw=1.8)
    chance, right = _PLACE[name]
    place = float(np.interp(chance, seen, epsilons)), chance
    label(axes, name, place, color, (right[len(of.subspaces[0])], 0))
