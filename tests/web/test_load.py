"""A crowd of analysts on one dataset: nothing fails, the cap is never passed, and all get their share.

`python -m benchmarks.service` is the same with 100,000 rows and for a minute.
"""

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.service import IN_FLIGHT, crowd, lower_cap, require_sound, running

pytest.importorskip("fastapi")

ACCOUNTS = [f"analyst {number}" for number in range(50)]
SECONDS = 10.0


def test_crowd_is_answered_and_never_passes_the_cap(tmp_path: Path) -> None:
    with running(tmp_path, 2_000, ACCOUNTS, "--tick", "0.2") as service:
        asyncio.run(crowd(service, ACCOUNTS, SECONDS))
        asked = list(service.answers)
        cap = asyncio.run(lower_cap(service))
        asyncio.run(crowd(service, ACCOUNTS, SECONDS / 3, seed=10**6))
    assert {answer.status for answer in asked} == {200}
    late = Counter(answer.status for answer in service.answers[len(asked) :])
    assert late.keys() == {200, 409}
    spent = require_sound(service, cap)
    assert cap - spent < max(answer.body["epsilon"] for answer in asked)  # all of it was used


def test_account_with_many_questions_in_flight_gets_no_more_than_its_share(tmp_path: Path) -> None:
    """Turns of one question, so that all wait: 24 accounts, one of which asks ten at a time."""
    few = ACCOUNTS[:24]
    with running(tmp_path, 2_000, few, "--tick", "0.1", "--lanes", "1") as service:
        until = asyncio.run(crowd(service, few, SECONDS))
    each = Counter(answer.account for answer in service.answers if answer.status == 200 and answer.ended <= until)
    others = sorted(each[account] for account in few[1:])
    assert len(few[1:]) > IN_FLIGHT
    assert each[few[0]] <= others[-1] + 2
    assert others[0] >= 1
