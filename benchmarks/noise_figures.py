"""The figures of docs/mechanisms.md: tails, widths on two generated tables, and what `auto` chooses."""

from collections.abc import Callable
from fractions import Fraction
from math import erfc, exp, sqrt
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray
from scipy.stats import t as student_t

from benchmarks.look import BLACK, BLUE, GREEN, ORANGE, RED, label, panels, save
from benchmarks.noise import Noise, noises, released
from benchmarks.student import Student
from benchmarks.tables import Case, K, clusters, outlying
from eremite import OutlierDefinition
from eremite.mechanisms import Gaussian, SmoothLaplace
from eremite.privacy import Privacy
from eremite.queries.choice import chosen
from eremite.sensitivity import most_moved

_MILLIONTH = Fraction(1, 10**6)
_STYLE = {
    "smooth-laplace": (BLACK, "-"),
    "global-laplace": (ORANGE, "-"),
    "student": (GREEN, (0, (4, 2))),
    "gaussian": (BLUE, "-"),
    "gaussian-paper": (RED, (0, (6, 2, 1, 2))),
}
_UP = {"student": 7, "smooth-laplace": -5, "gaussian": 4, "gaussian-paper": 7}  # keeps names off each other
_TINT = {"smooth-laplace": "#FFFFFF", "global-laplace": "#F5D58F", "gaussian": "#8FBFDC"}


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


def choice(path: Path) -> None:
    """Which mechanism `auto` takes in two columns or more, by epsilon and by how far one row can move the count."""
    figure, both = panels(2, 9.6)
    epsilons, caps = np.geomspace(0.01, 4, 61), np.unique(np.geomspace(2, 10_000, 60).astype(int))
    for axes, delta in zip(both, (Fraction(0), Fraction(1, 100)), strict=True):
        names = _map(epsilons, caps, delta)
        for name in ("global-laplace", "gaussian"):
            inside = (names == name).astype(float)
            if inside.any():
                axes.contourf(epsilons, caps, inside, levels=[0.5, 1.5], colors=[_TINT[name]])
                axes.contour(epsilons, caps, inside, levels=[0.5], colors=[BLACK], linewidths=0.8)
        _finish_choice(axes, delta)
    both[0].set_ylabel("most that one row can move the count")
    save(figure, path)


def _map(epsilons: NDArray[np.float64], caps: NDArray[np.int64], delta: Fraction) -> NDArray[np.str_]:
    exact = [Fraction(f"{epsilon:.4g}") for epsilon in epsilons]
    return np.array([[chosen(Privacy(epsilon, delta), int(most), 2) for epsilon in exact] for most in caps])


def _finish_choice(axes: Axes, delta: Fraction) -> None:
    for d in (2, 3, 8):
        most = most_moved(10**6, d, K)
        axes.axhline(most, color="0.55", lw=0.8, ls=(0, (1, 2)))
        label(axes, f"k = 5, d = {d}", (4, most), "0.35")
    places = {"smooth-laplace": (0.5, 300.0), "global-laplace": (0.045, 4.0)}
    if delta:
        places = {"smooth-laplace": (1.0, 300.0), "global-laplace": (0.36, 2.4), "gaussian": (0.05, 300.0)}
    for name, at in places.items():
        axes.annotate(name, at, ha="center", va="center")
    axes.set(xscale="log", yscale="log", xlim=(0.01, 4), ylim=(2, 10_000), xlabel="$\\epsilon$")
    axes.set_title(f"$\\delta$ = {float(delta):g}", fontsize=10)
    axes.set_xticks([0.01, 0.1, 1, 4], ["0.01", "0.1", "1", "4"])
    axes.minorticks_off()
