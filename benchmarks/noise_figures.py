"""The figures of docs/mechanisms.md: tails, and widths on two generated tables."""

from collections.abc import Callable
from fractions import Fraction
from math import erfc, exp, sqrt
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from scipy.stats import t as student_t

from benchmarks.look import BLACK, BLUE, GREEN, ORANGE, RED, label, panels, save
from benchmarks.noise import Noise, noises, released
from benchmarks.student import Student
from benchmarks.tables import Case, K, clusters, outlying
from eremite import OutlierDefinition
from eremite.mechanisms import Gaussian, SmoothLaplace

_MILLIONTH = Fraction(1, 10**6)
_STYLE = {
    "smooth-laplace": (BLACK, "-"),
    "global-laplace": (ORANGE, "-"),
    "student": (GREEN, (0, (4, 2))),
    "gaussian": (BLUE, "-"),
    "gaussian-paper": (RED, (0, (6, 2, 1, 2))),
}
_UP = {"student": 7, "smooth-laplace": -5, "gaussian": 4, "gaussian-paper": 7}  # keeps names off each other


def tails(path: Path) -> None:
    """P(|noise| > x) for a bound of 1 at epsilon = 1."""
    figure, [axes] = panels(1, 6.4)
    x = np.linspace(0, 30, 601)
    places = {"global-laplace": (7.2, 0), "smooth-laplace": (30, 3), "student": (30, -3), "gaussian": (14.5, 8)}
    for name, tail in _tails().items():
        color, style = _STYLE[name]
        axes.plot(x, [tail(at) for at in x], color=color, ls=style, lw=1.8)
        at, up = places[name]
        label(axes, name, (at, tail(at)), color, (5, up))
    axes.set(yscale="log", ylim=(1e-4, 1), xlim=(0, 30))
    axes.set(xlabel="$x$", ylabel="P(|noise| > $x$), for a bound of 1 at $\\epsilon$ = 1")
    save(figure, path)


def _tails() -> dict[str, Callable[[float], float]]:
    smooth, student, gaussian = SmoothLaplace(Fraction(1)), Student(Fraction(1)), Gaussian(Fraction(1), _MILLIONTH)
    stretch, sigma = student.half_width() / 3.182, float(gaussian.sigma)
    return {
        "global-laplace": lambda x: exp(-x),
        "smooth-laplace": lambda x: float(smooth.tail(Fraction(x))),
        "student": lambda x: 2 * float(student_t.sf(x / stretch, 3)),
        "gaussian": lambda x: erfc(x / sigma / sqrt(2)),
    }


def widths(path: Path) -> None:
    """The 95 % half-width over epsilon on two generated tables, delta = 1e-6 where one is needed."""
    figure, both = panels(2, 9.6)
    epsilons = [Fraction(f"{epsilon:.3g}") for epsilon in np.geomspace(0.05, 4, 13)]
    for axes, d in zip(both, (2, 8), strict=True):
        made = outlying(clusters(10_000, d), 0.015)
        for name, (color, style) in _STYLE.items():
            shown = [epsilon for epsilon in epsilons if epsilon < 1 or name != "gaussian-paper"]
            found = [_width(made, _named(name, epsilon)) for epsilon in shown]
            axes.plot([float(epsilon) for epsilon in shown], found, color=color, ls=style, lw=1.8)
            label(axes, name, (float(shown[-1]), found[-1]), color, (5, _UP.get(name, 0)))
        _finish_widths(axes, d)
    both[0].set_ylabel("95 % half-width of the noise")
    save(figure, path)


def _finish_widths(axes: Axes, d: int) -> None:
    axes.axhline(150, color="0.55", lw=0.8, ls=(0, (1, 2)))
    axes.annotate("150 outliers", (0.05, 150), xytext=(4, -10), textcoords="offset points", color="0.35", fontsize=9)
    axes.set(xscale="log", yscale="log", xlim=(0.05, 4), ylim=(1, 1e6), xlabel="$\\epsilon$")
    axes.set_title(f"N = 10,000, d = {d}", fontsize=10)
    axes.set_xticks([0.05, 0.1, 0.3, 1, 4], ["0.05", "0.1", "0.3", "1", "4"], minor=False)
    axes.minorticks_off()


def _named(name: str, epsilon: Fraction) -> Noise:
    return next(noise for noise in noises(epsilon, _MILLIONTH) if noise.name == name)


def _width(made: Case, noise: Noise) -> float:
    definition = OutlierDefinition(min_neighbors=K, radius=made.radius)
    return noise.half_width * float(released(made, definition, noise.decay))
