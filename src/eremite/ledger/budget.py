"""What was spent under a cap, and where the cap lies: two ways to keep it (`decide.proof.md`).

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
    """The sums of all charges of one budget. `sums_only` is settled by the first, before any answer was seen (L5)."""

    epsilon: Fraction = _ZERO
    delta: Fraction = _ZERO
    rho: Fraction = _ZERO
    rho_delta: Fraction = _ZERO
    charges: int = 0
    sums_only: bool = False


NOTHING = Spent()


@dataclass(frozen=True, slots=True)
class Budget:
    """A cap, if there is one, and what was spent under it. `name` is what a sentence calls it: "Account 'alice'"."""

    name: str
    cap: Privacy | None
    spent: Spent = NOTHING


@dataclass(frozen=True, slots=True)
class Limit:
    """How far one way of counting may go: `loss` in epsilon or rho, and `delta` beside it."""

    loss: Fraction
    delta: Fraction


def limits(cap: Privacy, sums_only: bool) -> tuple[Limit, Limit | None]:
    """By sums, and by zCDP where that is open. The two deltas add up to the cap's: see L1 for why they must."""
    if sums_only or not cap.delta:
        return Limit(cap.epsilon, cap.delta), None
    by_zcdp = Limit(largest_rho(cap.epsilon, cap.delta / 4), cap.delta / 4)
    return Limit(cap.epsilon, cap.delta / 2), by_zcdp


def within(cap: Privacy, spent: Spent) -> bool:
    """Whether a budget that stands there keeps its cap, in one of the two ways."""
    sums, zcdp = limits(cap, spent.sums_only)
    if spent.epsilon <= sums.loss and spent.delta <= sums.delta:
        return True
    return zcdp is not None and spent.rho <= zcdp.loss and spent.rho_delta <= zcdp.delta


def charged(budget: Budget, wanted: Cost) -> Spent:
    """The sums with one more charge."""
    spent = budget.spent
    return Spent(
        epsilon=_short(spent.epsilon + wanted.epsilon),
        delta=_short(spent.delta + wanted.delta),
        rho=_short(spent.rho + wanted.rho),
        rho_delta=_short(spent.rho_delta + wanted.rho_delta),
        charges=spent.charges + 1,
        sums_only=_sums_only(budget, wanted),
    )


def open_limits(cap: Privacy, spent: Spent) -> tuple[Limit, Limit | None]:
    """How far one more charge may go. Before the first, sums may take all of delta: it settles how to go on (L5)."""
    if spent.charges:
        return limits(cap, spent.sums_only)
    return Limit(cap.epsilon, cap.delta), limits(cap, sums_only=False)[1]


def _sums_only(budget: Budget, wanted: Cost) -> bool:
    """Settled by the first charge: with more than half of the cap's delta, where zCDP does not carry it."""
    if budget.spent.charges or budget.cap is None:
        return budget.spent.sums_only
    zcdp = limits(budget.cap, sums_only=False)[1]
    carried = zcdp is not None and wanted.rho <= zcdp.loss and wanted.rho_delta <= zcdp.delta
    return wanted.delta > budget.cap.delta / 2 and not carried


def _short(number: Fraction) -> Fraction:
    """The number itself; with a denominator of more than 1024 bits, rounded up by less than 2^-1024.

    Numbers that people write keep a common denominator; a thousand strange fractions must not make every sum long.
    """
    if number.denominator <= _LONGEST:
        return number
    return Fraction(-(-number.numerator * _LONGEST // number.denominator), _LONGEST)
