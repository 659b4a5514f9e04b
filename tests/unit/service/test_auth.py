"""A question whose token is revoked while it waits is refused when its turn comes, and costs nothing."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import httpx
import pytest

from eremite.service.tokens import change_grants
from tests.unit.service.in_process import GOOD, Service, grant, service, waiting

OTHER = replace(grant("other"), account="press")


@pytest.fixture
def served(tmp_path: Path) -> Service:
    held = service(tmp_path)
    change_grants(held.state.token_file, lambda before: (*before, OTHER))
    return held


async def asked_with_a_wait(
    served: Service, asks: list[tuple[str, str, str]], meanwhile: Callable[[], object]
) -> list[httpx.Response]:
    """The responses to questions that all wait behind another turn while `meanwhile` is called."""
    desk = served.state.desk
    lane = desk._forecast_lane
    await lane._between_turns.acquire()
    try:
        tasks = [asyncio.create_task(_asked(served, *each)) for each in asks]
        while len(desk.under_way("patients")) < len(asks):
            await asyncio.sleep(0.001)
        meanwhile()
    finally:
        lane._between_turns.release()
    return await asyncio.gather(*tasks)


async def _asked(served: Service, token: str, method: str, path: str) -> httpx.Response:
    async with served.client(token) as client:
        body = json.dumps(GOOD[path]).encode() if method == "POST" else b""
        return await client.request(method, waiting(method, f"/v1/datasets/patients/{path}"), content=body)


#: The table has no groups, and its number of rows is public.
QUESTIONS = [("secret", "POST", path) for path in GOOD if path not in ("count-by", "rows", "forecast/count-by")]


@pytest.mark.parametrize(
    ("after", "status", "sentence"),
    [
        ((), 401, "This token was revoked or has expired"),
        ((replace(grant("secret"), expires=date(2020, 1, 1)),), 401, "This token was revoked or has expired"),
        ((replace(grant("secret"), datasets=("wages",)),), 401, "This token was revoked or has expired"),
        ((replace(grant("secret"), account="press"),), 401, "This token was revoked or has expired"),
        (None, 503, "The tokens cannot be read"),
    ],
    ids=["revoked", "expired", "without the dataset", "of another account", "tokens lost"],
)
def test_question_of_a_token_that_is_revoked_while_it_waits_is_refused_and_not_charged(
    served: Service, after: tuple[Any, ...] | None, status: int, sentence: str
) -> None:
    before, asks = served.events(), QUESTIONS[:8]  # an account has ten places

    def change() -> None:
        if after is None:
            served.state.token_file.unlink()
        else:
            change_grants(served.state.token_file, lambda _: after)

    answers = asyncio.run(asked_with_a_wait(served, asks, change))
    assert [(answer.status_code, answer.json()["error"].startswith(sentence)) for answer in answers] == [
        (status, True)
    ] * len(asks)
    assert served.events() == before


def test_questions_of_others_go_on(served: Service) -> None:
    asks = [("secret", "POST", "count"), ("other", "POST", "detect")]
    refused, answered = asyncio.run(
        asked_with_a_wait(served, asks, lambda: change_grants(served.state.token_file, lambda _: (OTHER,)))
    )
    assert (refused.status_code, answered.status_code) == (401, 200)
    assert served.events()[-2:] == ["Charged", "Released"]
    assert served.events().count("Charged") == 1
