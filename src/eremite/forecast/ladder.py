"""The least epsilon of two digits that suffices for a purpose."""

from collections.abc import Callable
from fractions import Fraction

from eremite.errors import InputError
from eremite.privacy import LARGEST_EPSILON, SMALLEST_EPSILON
from eremite.queries import Progress


def least_epsilon(suffices: Callable[[Fraction], bool], progress: Progress | None = None) -> Fraction | None:
    """Where `suffices` turns from no to yes as epsilon grows; None if it never does. Asks about ten times.

    An epsilon that is refused, though the largest one is not, is too small for the question and does not suffice.
    `progress` is called with the number of epsilons tried so far.
    """
    low, high, tried = -1, len(_LADDER) - 1, 1
    if not suffices(_LADDER[high]):
        return None
    while high - low > 1:
        if progress:
            progress(tried)
        middle, tried = (low + high) // 2, tried + 1
        low, high = (low, middle) if _holds(suffices, _LADDER[middle]) else (middle, high)
    return _LADDER[high]


def _holds(suffices: Callable[[Fraction], bool], epsilon: Fraction) -> bool:
    try:
        return suffices(epsilon)
    except InputError:
        return False


def _ladder() -> list[Fraction]:
    """All epsilons of two digits that a release may spend."""
    steps = [Fraction(digits) * Fraction(10) ** power for power in range(-7, 1) for digits in range(10, 100)]
    return [step for step in steps if SMALLEST_EPSILON <= step <= LARGEST_EPSILON]


_LADDER = _ladder()
