"""What was spent of a budget, and the limits of its cap, by sums and by zCDP (`decide.proof.md`).

theory     here
(E, D)     the cap
A          limits(...)[0], by sums: sum of epsilon <= E, sum of delta <= D/2
B          limits(...)[1], by zCDP: sum of rho <= R(E, D/4), sum of rho_delta <= D/4
R          largest_rho
"""

from dataclasses import dataclass
from fractions import Fraction

from eremite.ledger.cost import Cost
from eremite.ledger.zcdp import largest_rho
from eremite.privacy import Privacy

_ZERO = Fraction(0)
_LONGEST = 1 << 1024


@dataclass(frozen=True, slots=True)
class Spent:
    """The sums of all charges of one budget. The first charge fixes `sums_only`, before any answer was seen (L5)."""

    epsilon: Fraction = _ZERO
    delta: Fraction = _ZERO
    rho: Fraction = _ZERO
    rho_delta: Fraction = _ZERO
    charges: int = 0
    sums_only: bool = False


NOTHING = Spent()


@dataclass(frozen=True, slots=True)
class Budget:
    """A cap, or None, and what was spent under it. `name` is its name in sentences: "Account 'alice'"."""

    name: str
    cap: Privacy | None
    spent: Spent = NOTHING


@dataclass(frozen=True, slots=True)
class Limit:
    """The limit of one way of counting: `loss` is in epsilon or rho, and `delta` comes on top."""

    loss: Fraction
    delta: Fraction


def limits(cap: Privacy, sums_only: bool) -> tuple[Limit, Limit | None]:
    """The limits by sums and, if available, by zCDP. Together their deltas are within the cap's, as L1 requires."""
    if sums_only or not cap.delta:
        return Limit(cap.epsilon, cap.delta), None
    by_zcdp = Limit(largest_rho(cap.epsilon, cap.delta / 4), cap.delta / 4)
    return Limit(cap.epsilon, cap.delta / 2), by_zcdp


def within(cap: Privacy, spent: Spent) -> bool:
    """Whether these sums keep the cap in at least one of the two ways."""
    sums, zcdp = limits(cap, spent.sums_only)
    if spent.epsilon <= sums.loss and spent.delta <= sums.delta:
        return True
    return zcdp is not None and spent.rho <= zcdp.loss and spent.rho_delta <= zcdp.delta


def charged(budget: Budget, wanted: Cost) -> Spent:
    """The sums after one more charge."""
    spent = budget.spent
    return Spent(
        epsilon=_rounded_up(spent.epsilon + wanted.epsilon),
        delta=_rounded_up(spent.delta + wanted.delta),
        rho=_rounded_up(spent.rho + wanted.rho),
        rho_delta=_rounded_up(spent.rho_delta + wanted.rho_delta),
        charges=spent.charges + 1,
        sums_only=_sums_only(budget, wanted),
    )


def open_limits(cap: Privacy, spent: Spent) -> tuple[Limit, Limit | None]:
    """The limits for one more charge. The first charge may take all of delta by sums, which fixes `sums_only` (L5)."""
    if spent.charges:
        return limits(cap, spent.sums_only)
    return Limit(cap.epsilon, cap.delta), limits(cap, sums_only=False)[1]


def _sums_only(budget: Budget, wanted: Cost) -> bool:
    """Whether only sums count: the first charge takes more than half of the cap's delta and is beyond zCDP's limit."""
    if budget.spent.charges or budget.cap is None:
        return budget.spent.sums_only
    zcdp = limits(budget.cap, sums_only=False)[1]
    carried = zcdp is not None and wanted.rho <= zcdp.loss and wanted.rho_delta <= zcdp.delta
    return wanted.delta > budget.cap.delta / 2 and not carried


def _rounded_up(number: Fraction) -> Fraction:
    """The number itself; with a denominator of more than 1024 bits, rounded up by less than 2^-1024.

    Numbers that people write share small denominators; this keeps the sums short after many that do not.
    """
    if number.denominator <= _LONGEST:
        return number
    return Fraction(-(-number.numerator * _LONGEST // number.denominator), _LONGEST)
