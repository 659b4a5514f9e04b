"""What a plan that is fixed in advance comes to, by dp-accounting: to be shown, never to be charged.

Budgets that are chosen as one goes compose by `decide`. If all releases are settled before the first answer is seen,
the distribution of their privacy loss can be computed as a whole, which is tighter. A ledger cannot know that nobody
looked, so it goes on charging by its own rule.
"""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from math import inf, nextafter
from typing import Any

from eremite.errors import InputError
from eremite.ledger.cost import Cost

MISSING = "The total of a plan needs dp-accounting; install it with: pip install 'eremite[accounting]'"
_FINEST = 50  # steps of the grid of losses within the smallest epsilon
_LARGEST = 10**6  # steps in all


def plan_total(costs: Iterable[Cost], delta: Fraction) -> float:
    """An epsilon, erring upwards, such that all these releases together are (epsilon, delta)-DP if fixed in advance.

    Every release is taken as the one that tells most among those with its epsilon and delta.
    """
    distributions, parameters = _driver()
    counted = Counter((cost.epsilon, cost.delta) for cost in costs)
    if not counted:
        return 0.0
    if not 0 <= delta < 1:
        raise InputError("delta must be at least 0 and below 1.")
    step = _step(counted)
    total = distributions.identity(value_discretization_interval=step)
    for (epsilon, own), times in sorted(counted.items()):
        one = distributions.from_privacy_parameters(
            parameters(_up(epsilon), _up(own)), value_discretization_interval=step
        )
        total = total.compose(one.self_compose(times))
    by_sums = _up(sum((epsilon * times for (epsilon, _), times in counted.items()), Fraction(0)))
    return min(
        float(total.get_epsilon_for_delta(float(delta))), by_sums if _sums_suffice(counted, delta) else float("inf")
    )


def _up(number: Fraction) -> float:
    """The float, or the next one above."""
    nearest = float(number)
    return nearest if Fraction(nearest) >= number else nextafter(nearest, inf)


def _sums_suffice(counted: Counter[tuple[Fraction, Fraction]], delta: Fraction) -> bool:
    """Whether the deltas alone add up to no more: then the sum of epsilon holds as well, without a grid."""
    return sum(own * times for (_, own), times in counted.items()) <= delta


def _step(counted: Counter[tuple[Fraction, Fraction]]) -> float:
    smallest = min(epsilon for epsilon, _ in counted)
    total = sum(epsilon * times for (epsilon, _), times in counted.items())
    return float(max(smallest / _FINEST, total / _LARGEST))


def _driver() -> tuple[Any, Any]:
    try:
        from dp_accounting.pld import common, privacy_loss_distribution
    except ImportError:
        raise InputError(MISSING) from None
    return privacy_loss_distribution, common.DifferentialPrivacyParameters
