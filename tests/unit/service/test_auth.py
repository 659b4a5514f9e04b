"""A question whose token is revoked while it waits is refused when its turn comes, and costs nothing."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import httpx
import pytest

from eremite.service import routes
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
        ((), 401, "This token was revoked or has expired, or may no longer ask this"),
        (
            (replace(grant("secret"), expires=date(2020, 1, 1)),),
            401,
            "This token was revoked or has expired, or may no longer ask this",
        ),
        (
            (replace(grant("secret"), datasets=("wages",)),),
            401,
            "This token was revoked or has expired, or may no longer ask this",
        ),
        (
            (replace(grant("secret"), account="press"),),
            401,
            "This token was revoked or has expired, or may no longer ask this",
        ),
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


COUNT = json.dumps(GOOD["count"] | {"request_id": "one"}).encode()
LATER = {
    "revoked": (),
    "expired": (replace(grant("secret"), expires=date(2020, 1, 1)),),
    "without the dataset": (replace(grant("secret"), datasets=("wages",)),),
    "of another account": (replace(grant("secret"), account="press"),),
    "tokens lost": None,
}


def change_tokens(served: Service, after: tuple[Any, ...] | None) -> None:
    if after is None:
        served.state.token_file.unlink()
    else:
        change_grants(served.state.token_file, lambda _: after)


async def listened(served: Service, where: str, meanwhile: Callable[[], object]) -> str:
    """What comes over an address of a job that somebody listens to while `meanwhile` is called."""
    async with served.client() as client:
        listening = asyncio.create_task(client.get(where))
        while not served.state.desk._changes:
            await asyncio.sleep(0.001)
        meanwhile()
        return (await asyncio.wait_for(listening, 600)).text  # the deadline is only for what hangs


@pytest.mark.parametrize("after", LATER.values(), ids=LATER)
def test_stream_ends_when_its_token_does_though_nothing_happens(
    served: Service, after: tuple[Any, ...] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "_STILL_THERE", 0.001)

    async def run() -> str:
        async with served.state.desk._forecast_lane._between_turns, served.client() as client:
            asked = await client.post("/v1/datasets/patients/count", content=COUNT)
            where = asked.headers["Location"]
            told = await listened(served, f"{where}/events", lambda: change_tokens(served, after))
            served.state.desk.stop()
            return told

    states = [line for line in asyncio.run(run()).splitlines() if line.startswith("data: ")]
    assert [json.loads(line[6:])["state"] for line in states] == ["queued"]


@pytest.mark.parametrize("way", ["/events", "?wait=60"])
def test_answer_is_not_sent_to_a_token_that_was_revoked_while_it_waited(served: Service, way: str) -> None:
    """Somebody else of the account asked, so that the question is answered."""
    friend = replace(grant("friend"), name="friend")
    change_grants(served.state.token_file, lambda before: (*before, friend))

    async def run() -> tuple[str, str]:
        lane = served.state.desk._forecast_lane
        async with served.client("friend") as client:
            await lane._between_turns.acquire()
            where = (await client.post("/v1/datasets/patients/count", content=COUNT)).headers["Location"]

            def meanwhile() -> None:
                change_grants(served.state.token_file, lambda _: (friend,))
                lane._between_turns.release()

            told = await listened(served, where + way, meanwhile)
            return told, (await client.get(f"{where}?wait=60")).text

    told, answer = asyncio.run(run())
    assert json.loads(answer)["state"] == "done"
    assert "answer" not in told
    assert "running" not in told


async def begun_before(content: bytes, meanwhile: Callable[[], object]) -> AsyncIterator[bytes]:
    """A body that has begun to arrive when `meanwhile` is called."""
    yield content[:1]
    meanwhile()
    yield content[1:]


async def sent_slowly(
    served: Service, method: str, path: str, content: bytes, after: tuple[Any, ...] | None
) -> httpx.Response:
    """The response to a request whose body ends after the tokens have changed."""
    async with served.client() as client:
        slow = begun_before(content, lambda: change_tokens(served, after))
        return await client.request(method, f"/v1/datasets/patients/{path}", content=slow)


NO_LONGER_CUSTODIAN = (replace(grant("secret"), custodian=False),)
CAP = json.dumps({"epsilon": 1, "reason": "attack"}).encode()


@pytest.mark.parametrize("after", [*LATER.values(), NO_LONGER_CUSTODIAN], ids=[*LATER, "no longer a custodian"])
def test_cap_stays_if_the_token_ended_before_the_body_did(served: Service, after: tuple[Any, ...] | None) -> None:
    before = served.events()
    response = asyncio.run(sent_slowly(served, "PUT", "cap", CAP, after))
    assert response.status_code == (503 if after is None else 401)
    assert served.events() == before


@pytest.mark.parametrize("after", LATER.values(), ids=LATER)
def test_stored_answer_is_not_told_if_the_token_ended_before_the_body_did(
    served: Service, after: tuple[Any, ...] | None
) -> None:
    [told] = served.ask(("POST", "/v1/datasets/patients/count", COUNT))
    response = asyncio.run(sent_slowly(served, "POST", "count", COUNT, after))
    assert (told.status_code, response.status_code) == (200, 503 if after is None else 401)
    assert list(response.json()) == ["error"]


@pytest.mark.parametrize("epsilon", ["0.1", "3", "many"])
def test_question_is_neither_taken_nor_refused_by_its_budget_if_the_token_ended_before_the_body_did(
    served: Service, epsilon: str
) -> None:
    before, content = served.events(), json.dumps(GOOD["count"] | {"epsilon": epsilon}).encode()
    response = asyncio.run(sent_slowly(served, "POST", "count", content, ()))
    assert response.status_code == 401
    assert served.events() == before
    assert served.state.desk.under_way("patients") == []


def test_question_of_a_token_that_is_no_longer_a_custodians_is_answered(served: Service) -> None:
    response = asyncio.run(sent_slowly(served, "POST", "count?wait=60", COUNT, NO_LONGER_CUSTODIAN))
    assert response.status_code == 200


async def asked_twice(served: Service, first: str, then: str, meanwhile: Callable[[], object]) -> list[httpx.Response]:
    """Two tokens of an account ask the same under one id while another turn is under way; then both look at the job."""
    lane = served.state.desk._forecast_lane
    async with served.client(first) as one, served.client(then) as two:
        async with lane._between_turns:
            told = [await client.post("/v1/datasets/patients/count", content=COUNT) for client in (one, two)]
            meanwhile()
        where = told[0].headers["Location"]
        return [*told, await two.get(f"{where}?wait=60"), await one.get(f"{where}?wait=60")]


@pytest.mark.parametrize("revoked", ["secret", "friend"])
def test_job_of_two_tokens_goes_on_when_one_is_revoked(served: Service, revoked: str) -> None:
    """It is the account's: whoever of those who asked may still ask is charged and answered."""
    friend = grant("friend")
    change_grants(served.state.token_file, lambda before: (*before, friend))
    left = tuple(one for one in (grant("secret"), friend) if one.name != revoked)
    answers = asyncio.run(
        asked_twice(served, "secret", "friend", lambda: change_grants(served.state.token_file, lambda _: left))
    )
    first, then, *looked = answers
    assert first.json() == then.json()
    assert sorted(answer.status_code for answer in looked) == [200, 401]
    assert [answer.json()["state"] for answer in looked if answer.status_code == 200] == ["done"]
    assert served.events().count("Charged") == 1


def test_question_of_a_revoked_token_alone_is_refused_and_the_account_asks_again(served: Service) -> None:
    """A stolen token must not spend after it was revoked; the account's other tokens see that, and may ask."""
    friend = grant("friend")
    change_grants(served.state.token_file, lambda before: (*before, friend))

    async def run() -> list[httpx.Response]:
        lane = served.state.desk._forecast_lane
        async with served.client() as stolen, served.client("friend") as client:
            async with lane._between_turns:
                where = (await stolen.post("/v1/datasets/patients/count", content=COUNT)).headers["Location"]
                seen = await client.get(where)
                change_grants(served.state.token_file, lambda _: (friend,))
            refused = await client.get(f"{where}?wait=60")
            assert "Charged" not in served.events()
            return [seen, refused, await client.post("/v1/datasets/patients/count?wait=60", content=COUNT)]

    seen, refused, asked = asyncio.run(run())
    assert [answer.status_code for answer in (seen, refused, asked)] == [200, 200, 200]
    assert (seen.json()["state"], refused.json()["state"]) == ("queued", "refused")
    assert refused.json()["error"].startswith("The token that asked this was revoked")
    assert served.events().count("Charged") == 1
