"""One account's bodies, however slow or long, take neither the places nor the time of others."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from threading import Event, Lock

import httpx
import pytest

from eremite.service.bodies import MOST_BODIES_PER_ACCOUNT, MOST_SHORT_BYTES, Bodies
from eremite.service.tokens import change_grants
from tests.unit.service.in_process import GOOD, Service, grant, service

LONG = b" " * (MOST_SHORT_BYTES + 1)
WHERE = "/v1/datasets/patients"


@pytest.fixture
def served(tmp_path: Path) -> Service:
    held = service(tmp_path)
    change_grants(held.state.token_file, lambda before: (*before, replace(grant("other"), account="press")))
    return held


def question(name: str) -> bytes:
    return json.dumps(GOOD["count"] | {"request_id": name}).encode()


@pytest.mark.parametrize(("method", "path"), [("POST", "/count?wait=60"), ("PUT", "/cap")])
def test_slow_bodies_of_one_account_are_received_a_few_at_a_time_and_hold_up_nobody(
    served: Service, method: str, path: str
) -> None:
    async def run() -> tuple[int, int, list[int]]:
        begun, gone_on = [], asyncio.Event()

        async def slow(name: str) -> AsyncIterator[bytes]:
            begun.append(name)
            yield b" "
            await gone_on.wait()
            cap = {"epsilon": 1, "reason": name}
            yield question(name) if method == "POST" else json.dumps(cap).encode()

        async with served.client() as client, served.client("other") as other:
            asks = [client.request(method, f"{WHERE}{path}", content=slow(str(number))) for number in range(9)]
            flood = asyncio.gather(*asks)
            quick: httpx.Response = await other.post(f"{WHERE}/count?wait=60", content=question("quick"))
            meanwhile = len(begun)
            gone_on.set()
            return quick.status_code, meanwhile, [answer.status_code for answer in await flood]

    assert asyncio.run(run()) == (200, MOST_BODIES_PER_ACCOUNT, [200] * 9)


def test_long_bodies_are_parsed_one_after_the_other_and_short_ones_meanwhile() -> None:
    bodies, gone_on, lock = Bodies(), Event(), Lock()
    parsing, most = 0, 0

    def parse(content: bytes) -> int:
        nonlocal parsing, most
        if len(content) > MOST_SHORT_BYTES:
            with lock:
                parsing += 1
                most = max(most, parsing)
            assert gone_on.wait(600)  # the deadline is only for what hangs
            with lock:
                parsing -= 1
        return len(content)

    async def sent(content: bytes) -> bytes:
        return content

    async def run() -> tuple[int, list[int]]:
        flood = [asyncio.create_task(bodies.read(f"{n % 4}", lambda: sent(LONG), parse)) for n in range(12)]
        while not parsing:
            await asyncio.sleep(0.001)
        _, short = await bodies.read("other", lambda: sent(b"{}"), parse)
        gone_on.set()
        return short, [length for _, length in await asyncio.gather(*flood)]

    assert asyncio.run(run()) == (2, [len(LONG)] * 12)
    assert most == 1
    assert not bodies._places  # nothing is kept of accounts without a body


def test_place_of_a_body_that_never_came_or_does_not_fit_is_free_again() -> None:
    bodies = Bodies()

    async def lost() -> bytes:
        raise ConnectionResetError

    async def there() -> bytes:
        return b""

    async def run() -> None:
        for _ in range(3 * MOST_BODIES_PER_ACCOUNT):
            with pytest.raises(ConnectionResetError):
                await bodies.read("a", lost, len)
            with pytest.raises(ZeroDivisionError):
                await bodies.read("a", there, lambda _: 1 // 0)
        assert await bodies.read("a", there, len) == (b"", 0)

    asyncio.run(run())
