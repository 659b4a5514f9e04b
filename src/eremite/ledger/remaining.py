"""The remainder of a budget, in numbers and in words."""

from fractions import Fraction
from math import isqrt

from eremite.ledger.budget import Budget, open_limits
from eremite.ledger.cost import Cost
from eremite.privacy import Privacy, shown

_ZERO = Fraction(0)
_STEPS = 10**6


def remaining_epsilon(budget: Budget, delta: Fraction = _ZERO, rho_delta: Fraction = _ZERO) -> Fraction | None:
    """The largest epsilon for one more release with this delta; None if there is no cap, or no room for the delta.

    By sums that is the epsilon that is left; by zCDP it is a square root, rounded down to a millionth.
    """
    if budget.cap is None:
        return None
    spent = budget.spent
    sums, zcdp = open_limits(budget.cap, spent)
    found = []
    if spent.delta + delta <= sums.delta:
        found.append(sums.loss - spent.epsilon)
    if zcdp is not None and spent.rho_delta + rho_delta <= zcdp.delta:
        found.append(_root(2 * (zcdp.loss - spent.rho)))
    return max(*found, _ZERO) if found else None


def remaining_delta(budget: Budget) -> Fraction:
    """The largest delta for one more release that has some epsilon left; 0 without a cap."""
    if budget.cap is None:
        return _ZERO
    spent, found = budget.spent, [_ZERO]
    sums, zcdp = open_limits(budget.cap, spent)
    if spent.epsilon < sums.loss:
        found.append(sums.delta - spent.delta)
    if zcdp is not None and spent.rho < zcdp.loss:
        found.append(zcdp.delta - spent.rho_delta)
    return max(found)


def remaining(budget: Budget) -> Privacy | None:
    """The largest epsilon for one more release without delta, and the largest delta for any; None without a cap."""
    if budget.cap is None:
        return None
    return Privacy(remaining_epsilon(budget) or _ZERO, remaining_delta(budget))


def in_words(budget: Budget) -> str:
    """What is left, as one sentence."""
    have = remaining(budget)
    if have is None or budget.cap is None:
        return f"{budget.name} has no cap of its own."
    return f"{budget.name} has {have} left of {budget.cap}."


def too_little(budget: Budget, wanted: Cost) -> str:
    """Why a budget does not cover a request: what is left, what is needed, what to do."""
    have = remaining_epsilon(budget, wanted.delta, wanted.rho_delta)
    if have is None:
        missing = f"delta {shown(remaining_delta(budget))} left; this release needs delta {shown(wanted.delta)}"
    else:
        beside = f" beside delta {shown(wanted.delta)}" if wanted.delta else ""
        missing = f"epsilon {shown(have)} left{beside}; this release needs {shown(wanted.epsilon)}"
    return f"{budget.name} has {missing}. Ask for less, or have the custodian raise the cap."


def _root(number: Fraction) -> Fraction:
    """The square root, rounded down to a millionth; 0 for a negative number."""
    return Fraction(isqrt(max(number, _ZERO) * _STEPS**2 // 1), _STEPS)
