"""Which mechanism answers a count: by name, or chosen from public facts."""

from collections.abc import Callable
from fractions import Fraction
from math import exp, inf, lgamma, log, pi

from eremite.errors import InputError
from eremite.mechanisms import BoundedMechanism, Gaussian, GlobalGaussian, GlobalLaplace, PaperGaussian, SmoothLaplace
from eremite.privacy import LARGEST_EPSILON, Privacy
from eremite.queries.reach import PAIR
from eremite.reach import MOST_COLUMNS, MOST_COLUMNS_ABOVE
from eremite.sensitivity import few_changes, require_few_changes, smooth_bound_of_line
from eremite.sensitivity.relation import Relation

_PURE: dict[str, Callable[[Fraction], BoundedMechanism]] = {
    "smooth-laplace": SmoothLaplace,
    "global-laplace": GlobalLaplace,
}
_APPROXIMATE: dict[str, Callable[[Fraction, Fraction], BoundedMechanism]] = {
    "gaussian": Gaussian,
    "gaussian-paper": PaperGaussian,
    "global-gaussian": GlobalGaussian,
}
NAMES = ("auto", "reach", PAIR, *_PURE, "reach-gaussian", *_APPROXIMATE)

#: Up to which epsilon of a row reach is taken, by the most columns for which it is. The more columns, the wider the
#: covers and the more is capped; the smaller epsilon, the further a smooth bound looks and the wider its noise is.
_REACH_UP_TO = ((4, Fraction(LARGEST_EPSILON)), (6, Fraction(2)), (9, Fraction(1)), (MOST_COLUMNS, Fraction(2, 5)))

#: In so many columns, blocks of cells tell which rows may crowd; in more, all of up to so many rows are looked at.
_BLOCKS, _MOST_ROWS = 3, 500_000
_MOST_LOOKS = 1e10  # about a minute: with a radius so large that so many rows are near each other, one side suffices


def by_name(name: str, privacy: Privacy) -> BoundedMechanism:
    """The mechanism of this name for a bound of the sensitivity, made to spend at most `privacy`."""
    if name in _PURE:
        return _PURE[name](privacy.epsilon)
    return _APPROXIMATE[name](privacy.epsilon, privacy.delta)


def for_bound(name: str, privacy: Privacy, relation: Relation, columns: int, min_neighbors: int) -> BoundedMechanism:
    """The mechanism of this name, unless the search for its bound would take too much memory or time. Public."""
    noise = by_name(name, privacy)
    if noise.decay is not None:
        require_few_changes(relation, columns, min_neighbors, noise.decay, "choose reach or global-laplace")
    return noise


def chosen(privacy: Privacy, relation: Relation, columns: int, min_neighbors: int) -> str:
    """What `auto` takes for a row's share of `privacy`: "reach", from one side or both, or a mechanism for a bound.

    Public.
    """
    if any(columns <= most and privacy.epsilon <= epsilon for most, epsilon in _REACH_UP_TO):
        return "reach"
    return narrowest(privacy, relation, columns, min_neighbors)


def both_sides(relation: Relation, columns: int, radius: float) -> bool:
    """Whether a count by reach that `auto` chose is drawn from both sides: where that takes little. Public."""
    if columns > MOST_COLUMNS_ABOVE or looks_for_degrees(relation.rows, columns, radius) > _MOST_LOOKS:
        return False
    return columns <= _BLOCKS or relation.rows <= _MOST_ROWS


def looks_for_degrees(rows: int, columns: int, radius: float) -> float:
    """About how many looks at rows it takes to count all neighbors of all rows, if rows lie anywhere. Public.

    Of the rows near one, those that are not at the edge of its ball are counted in groups.
    """
    near = min(0.0, log_volume(columns, radius)) + log(max(rows, 1))
    return rows * exp(max(near, 0.0) * (columns - 1) / columns)


def log_volume(columns: int, radius: float) -> float:
    """ln of the volume of the ball within which rows are neighbors, where all rows lie in a cube of volume 1."""
    if radius <= 0:
        return -inf
    return columns / 2 * log(pi * columns) + columns * log(radius) - lgamma(columns / 2 + 1)


def narrowest(privacy: Privacy, relation: Relation, columns: int, min_neighbors: int) -> str:
    """The name of the mechanism for a bound whose 95 % interval is narrowest on a typical table.

    The smooth bound of the table is private, so that of a typical profile stands in for it: t replaced rows away, one
    row moves the count by `typical_growth` times t + 1, up to the global bound. The choice sees no row.
    """
    most = relation.most_moved(columns, min_neighbors)
    names = ["smooth-laplace", "global-laplace"]
    if privacy.delta:
        names += ["gaussian", *_holding("global-gaussian", privacy)]

    def is_searched(noise: BoundedMechanism) -> bool:
        return noise.decay is None or few_changes(relation, columns, min_neighbors, noise.decay)

    mechanisms = {name: by_name(name, privacy) for name in names}
    searched = [name for name, noise in mechanisms.items() if is_searched(noise)]
    return min(searched, key=lambda name: _width(mechanisms[name], most, columns))


def typical_growth(columns: int) -> Fraction:
    """By how much a profile grows with each step, typically: measured on made-up tables, 1,000 and 20,000 rows each."""
    return Fraction(4) if columns == 1 else Fraction(17, 10)


def is_pure(name: str) -> bool:
    """Whether a mechanism spends no delta."""
    return name in ("reach", PAIR) or name in _PURE


def _holding(name: str, privacy: Privacy) -> list[str]:
    try:
        by_name(name, privacy)
    except InputError:
        return []
    return [name]


def _width(mechanism: BoundedMechanism, most: int, columns: int) -> float:
    growth = typical_growth(columns)
    bound = most if mechanism.decay is None else smooth_bound_of_line(growth, most, mechanism.decay)
    return mechanism.half_width() * bound
