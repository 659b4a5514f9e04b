"""The figure of docs/forecast.md: promised errors divided by true ones, table by table."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.look import BLACK, BLUE, GREEN, ORANGE, panels, save

if TYPE_CHECKING:
    from benchmarks.forecasts import Compared

_COLORS = (ORANGE, GREEN, BLUE, BLACK)  # by epsilon, the smallest first
_TICKS = (0.5, 1, 2, 5, 10)


def ratios(path: Path, seen: Sequence["Compared"]) -> None:
    """A mark for each count, one line of them for each table; left of 1 the promise was too small."""
    figure, [axes] = panels(1, 8.4)
    names, epsilons = list(dict.fromkeys(one.table for one in seen)), list(dict.fromkeys(one.epsilon for one in seen))
    figure.set_size_inches(8.4, 0.9 + 0.34 * len(names))
    for place, epsilon in enumerate(epsilons):
        some = [one for one in seen if one.epsilon == epsilon]
        heights = [-names.index(one.table) + 0.12 * (1.5 - place) for one in some]
        color = _COLORS[place % len(_COLORS)]
        axes.plot(
            [one.ratio for one in some], heights, "|", color=color, ms=7, mew=1.2, label=f"$\\epsilon$ = {epsilon}"
        )
    axes.axvline(1, color="0.4", lw=0.8)
    axes.set(xscale="log", xlabel="95 % error: promised / true", ylim=(0.6 - len(names), 0.6))
    axes.set_yticks([-place for place in range(len(names))], names)
    axes.set_xticks(_TICKS, [f"{tick:g}" for tick in _TICKS])
    axes.minorticks_off()
    axes.legend(ncols=len(epsilons), loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
    save(figure, path)
