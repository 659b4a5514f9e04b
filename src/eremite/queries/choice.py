"""Which mechanism answers a count: by name, or chosen from public facts."""

from collections.abc import Callable
from fractions import Fraction

from eremite.errors import InputError
from eremite.mechanisms import Gaussian, GlobalGaussian, GlobalLaplace, Mechanism, PaperGaussian, SmoothLaplace
from eremite.privacy import Privacy
from eremite.sensitivity import smallest_bound

_PURE: dict[str, Callable[[Fraction], Mechanism]] = {
    "smooth-laplace": SmoothLaplace,
    "global-laplace": GlobalLaplace,
}
_APPROXIMATE: dict[str, Callable[[Fraction, Fraction], Mechanism]] = {
    "gaussian": Gaussian,
    "gaussian-paper": PaperGaussian,
    "global-gaussian": GlobalGaussian,
}
NAMES = ("auto", *_PURE, *_APPROXIMATE)


def by_name(name: str, privacy: Privacy) -> Mechanism:
    """The mechanism of this name, made to spend at most `privacy`."""
    if name in _PURE:
        return _PURE[name](privacy.epsilon)
    return _APPROXIMATE[name](privacy.epsilon, privacy.delta)


def chosen(privacy: Privacy, most: int) -> str:
    """The name of the mechanism whose 95 % interval is narrowest on the table that suits it best.

    The smooth bound of any table is at least `smallest_bound`, a public number; the global one is `most`. So a global
    mechanism is taken only where no table could make a smooth one narrower, and the choice sees no row.
    """
    names = ["smooth-laplace", "global-laplace"]
    if privacy.delta:
        names += ["gaussian", *_holding("global-gaussian", privacy)]
    return min(names, key=lambda name: _narrowest(by_name(name, privacy), most))


def is_pure(name: str) -> bool:
    """Whether a mechanism spends no delta."""
    return name in _PURE


def _holding(name: str, privacy: Privacy) -> list[str]:
    try:
        by_name(name, privacy)
    except InputError:
        return []
    return [name]


def _narrowest(mechanism: Mechanism, most: int) -> float:
    bound = most if mechanism.decay is None else smallest_bound(most, mechanism.decay)[1]
    return mechanism.half_width() * bound
