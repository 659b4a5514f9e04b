"""Whether budgets cover a request: a pure decision on public numbers (`decide.proof.md`)."""

from dataclasses import dataclass, replace

from eremite.ledger.budget import Budget, charged, within
from eremite.ledger.cost import Cost
from eremite.ledger.remaining import remaining, too_little
from eremite.privacy import Privacy


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not paid for: in words and, where a budget does not cover it, in numbers."""

    sentence: str
    needed: Privacy | None = None
    remaining: Privacy | None = None


def decide(budgets: tuple[Budget, ...], wanted: Cost) -> tuple[Budget, ...] | Refusal:
    """The budgets after the charge, each of them within its cap; or a refusal by the first that does not cover it."""
    after = tuple(replace(budget, spent=charged(budget, wanted)) for budget in budgets)
    for before, budget in zip(budgets, after, strict=True):
        if budget.cap is not None and not within(budget.cap, budget.spent):
            needed = Privacy(wanted.epsilon, wanted.delta)
            return Refusal(too_little(before, wanted), needed, remaining(before))
    return after
