"""Whether a budget covers a request: a pure decision on public numbers."""

from dataclasses import dataclass

from eremite.privacy import Privacy


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why not, in words."""

    sentence: str


def decide(cap: Privacy, spent: Privacy, wanted: Privacy) -> Privacy | Refusal:
    """What is spent after the request, or a refusal.

    Releases whose budgets are chosen as one goes compose by sums: all of them together are
    (sum of epsilon, sum of delta)-DP, and stay within the cap.
    """
    after = spent + wanted
    if after.epsilon <= cap.epsilon and after.delta <= cap.delta:
        return after
    left = cap - spent
    return Refusal(
        f"This release needs {wanted}; what is left of the budget is {left}. "
        "Ask for less, or have the custodian raise the budget."
    )
