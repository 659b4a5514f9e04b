"""A refusal by the budget carries its numbers as fields, and nulls where the budget is not the reason."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from eremite import BudgetRefused, Privacy, Session
from tests.unit.service.in_process import GOOD, service

THIRD = Privacy(Fraction(1, 3), Fraction(1, 10**6))


@pytest.mark.parametrize(
    ("refused", "needed", "remaining"),
    [
        (
            BudgetRefused("No.", needed=THIRD, remaining=Privacy(Fraction(1, 4))),
            {"epsilon": "1/3", "delta": 1e-06},
            {"epsilon": 0.25, "delta": 0},
        ),
        (BudgetRefused("No."), None, None),
    ],
    ids=["too little is left", "another reason"],
)
def test_refusal_by_the_budget_has_its_numbers_as_fields(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: BudgetRefused, needed: Any, remaining: Any
) -> None:
    def ask(*_: Any, **__: Any) -> None:
        raise refused

    monkeypatch.setattr(Session, "charge", ask)
    [answer] = service(tmp_path).ask(("POST", "/v1/datasets/patients/count", json.dumps(GOOD["count"]).encode()))
    assert (answer.status_code, answer.json()) == (409, {"error": "No.", "needed": needed, "remaining": remaining})
