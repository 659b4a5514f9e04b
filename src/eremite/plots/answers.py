"""The answers of a screen in the order asked, yes above and no below."""

from collections.abc import Sequence

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from eremite.errors import InputError
from eremite.plots.look import BLACK, panels

_MOST = 10_000


def checked(value: object) -> list[bool]:
    """The answers in the value of a release; an error if it holds anything else."""
    if not isinstance(value, tuple) or not 0 < len(value) <= _MOST or not all(type(said) is bool for said in value):
        raise InputError(f"A picture of a screen needs a release whose value is 1 to {_MOST:,} answers.")
    return list(value)


def draw(said: Sequence[bool], before: int) -> Figure:
    """A figure with a dot for each candidate; `before` candidates were asked about earlier."""
    figure, [axes] = panels(1, 1, 7.2, 2.3)
    numbers = range(before + 1, before + len(said) + 1)
    for answer, color in ((False, "0.6"), (True, BLACK)):
        shown = [number for number, one in zip(numbers, said, strict=True) if one is answer]
        axes.plot(shown, [int(answer)] * len(shown), "o", color=color, ms=8 if len(said) <= 60 else 4)
    axes.set(ylim=(-0.6, 1.6), xlabel="number of the candidate; the first is 1")
    axes.set_xlim(before + 0.5, before + len(said) + 0.5)
    axes.set_yticks([0, 1], ["no", "yes"])
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    return figure
