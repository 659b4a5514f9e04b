"""Whether budgets cover a request: a pure decision on public numbers (`decide.proof.md`)."""

from dataclasses import dataclass, replace

from eremite.ledger.budget import Budget, charged, within
from eremite.ledger.cost import Cost
from eremite.ledger.remaining import too_little


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refused request, with the reason in words."""

    sentence: str


def decide(budgets: tuple[Budget, ...], wanted: Cost) -> tuple[Budget, ...] | Refusal:
    """The budgets after the charge, each within its cap; or the refusal of the first budget that does not cover it."""
    after = tuple(replace(budget, spent=charged(budget, wanted)) for budget in budgets)
    for before, budget in zip(budgets, after, strict=True):
        if budget.cap is not None and not within(budget.cap, budget.spent):
            return Refusal(too_little(before, wanted))
    return after
