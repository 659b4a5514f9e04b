"""The total cost of a plan that is fixed in advance, by dp-accounting: for display, never for charging.

If all releases are fixed before the first answer is seen, the distribution of their total privacy loss can be computed,
which is tighter than the composition in `decide`. A ledger cannot know that later requests did not depend on earlier
answers, so it always charges by `decide`.
"""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from math import inf, nextafter
from typing import Any

from eremite.errors import InputError
from eremite.ledger.cost import Cost

MISSING = "The total of a plan needs dp-accounting; install it with: pip install 'eremite[accounting]'"
_FINEST = 50  # steps of the grid of losses in the smallest epsilon
_LARGEST = 10**6  # steps of the grid in all


def plan_total(costs: Iterable[Cost], delta: Fraction) -> float:
    """An epsilon, rounded up, for which all these releases together are (epsilon, delta)-DP if fixed in advance.

    Every release is treated as the worst one with its epsilon and delta.
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
    """The nearest float if it is at least the number, else the next float above."""
    nearest = float(number)
    return nearest if Fraction(nearest) >= number else nextafter(nearest, inf)


def _sums_suffice(counted: Counter[tuple[Fraction, Fraction]], delta: Fraction) -> bool:
    """Whether the deltas add up to at most `delta`: then the sum of the epsilons is a valid total too."""
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
