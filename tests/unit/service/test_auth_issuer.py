"""Who may do what: the custodian's tokens and an issuer's tokens on routes of each kind; and how often."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from fastapi import Depends, FastAPI
from fastapi.responses import JSONResponse, Response, StreamingResponse

from eremite.service.audit import Audit, open_audit
from eremite.service.auth import CurrentCaller, CurrentCustodian, CurrentGrant, hold_place
from eremite.service.errors import add_handlers
from eremite.service.oidc import Oidc
from eremite.service.oidc_settings import OidcSettings
from eremite.service.rates import MOST_WAITING, Rate, Rates
from eremite.service.tokens import Grant, change_grants, hash_of
from tests.unit.service.issuer import AUDIENCE, NOW, Issuer, running_issuer, send

ROUTES = ("/v1/datasets", "/v1/datasets/patients", "/v1/datasets/patients/budgets", "/v1/datasets/other")
ROLE = {"roles": ["custodian"]}


def of_custodian(name: str, **more: Any) -> Grant:
    return Grant(**({"name": name, "account": "research", "datasets": ("patients",), "hash": hash_of(name)} | more))


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with running_issuer() as running:
        yield running


class Service:
    """Routes of each kind, with the service's authentication."""

    def __init__(self, folder: Path, issuer: Issuer | None, rates: Rates | None = None) -> None:
        tokens = folder / "tokens.json"
        grants = (
            of_custodian("analyst"),
            of_custodian("custodian", custodian=True),
            of_custodian("elsewhere", datasets=("wages",)),
            of_custodian("expired", expires=date(2020, 1, 1)),
        )
        change_grants(tokens, lambda _: grants)
        datasets = {"patients": "the patients"}
        oidc = None if issuer is None else Oidc(_settings(issuer), clock=lambda: NOW)
        self.state = SimpleNamespace(token_file=tokens, datasets=datasets, oidc=oidc, rates=rates or Rates())
        self.app = app = FastAPI()
        app.state.service = self.state
        add_handlers(app)
        app.add_middleware(Audit)

        @app.get("/v1/datasets")
        async def listed(grant: CurrentGrant) -> Response:
            return JSONResponse({"account": grant.account})

        @app.get("/v1/datasets/{name}")
        async def shown(caller: CurrentCaller) -> Response:
            return JSONResponse(caller.proof.to_json())

        @app.get("/events", dependencies=[Depends(hold_place)])
        async def events() -> Response:
            async def places() -> AsyncIterator[str]:
                for _ in range(3):
                    await asyncio.sleep(0)
                    yield json.dumps(dict(rates._waiting if rates else {})) + "\n"

            return StreamingResponse(places())

        @app.get("/v1/datasets/{name}/budgets")
        async def budgets(caller: CurrentCustodian) -> Response:
            return JSONResponse({})

    def ask(self, token: str | None, *paths: str) -> list[httpx.Response]:
        async def send_all() -> list[httpx.Response]:
            headers = {} if token is None else {"Authorization": f"Bearer {token}"}
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(transport=transport, base_url="http://service", headers=headers) as client:
                return [await client.get(path) for path in paths]

        return asyncio.run(send_all())


def _settings(issuer: Issuer) -> OidcSettings:
    return OidcSettings.model_validate(
        {
            "issuer": issuer.address,
            "audience": AUDIENCE,
            "datasets": {"claim": "groups", "values": {"icu": ["patients"], "pay": ["wages"]}},
            "custodian": {"claim": "roles", "value": "custodian"},
        }
    )


@pytest.mark.parametrize(
    ("token", "statuses"),
    [
        (None, [401, 401, 401, 401]),
        ("", [401, 401, 401, 401]),
        ("unknown", [401, 401, 401, 401]),
        ("expired", [401, 401, 401, 401]),
        ("elsewhere", [200, 404, 404, 404]),
        ("analyst", [200, 200, 403, 404]),
        ("custodian", [200, 200, 200, 404]),
        ({}, [200, 200, 403, 404]),
        (ROLE, [200, 200, 200, 404]),
        ({"groups": ["pay"]}, [200, 404, 404, 404]),
        ({"groups": ["pay"]} | ROLE, [200, 404, 404, 404]),
        ({"groups": ["staff"]} | ROLE, [401, 401, 401, 401]),
        ({"exp": NOW - 100} | ROLE, [401, 401, 401, 401]),
        ({"aud": "other"} | ROLE, [401, 401, 401, 401]),
        ({"iss": "https://other.example"} | ROLE, [401, 401, 401, 401]),
        ({"key": "mallory", "headers": {"kid": "one"}} | ROLE, [401, 401, 401, 401]),
    ],
)
def test_every_route_takes_whom_it_is_for(tmp_path: Path, issuer: Issuer, token: Any, statuses: list[int]) -> None:
    sent = issuer.token(**token) if isinstance(token, dict) else token
    answers = Service(tmp_path, issuer).ask(sent, *ROUTES)
    assert [answer.status_code for answer in answers] == statuses
    for answer in answers:
        assert answer.status_code == 200 or answer.json()["error"].endswith(".")
        assert answer.headers.get("www-authenticate") == ("Bearer" if answer.status_code == 401 else None)


def test_without_an_issuer_its_tokens_are_unknown(tmp_path: Path, issuer: Issuer) -> None:
    [answer] = Service(tmp_path, None).ask(issuer.token(), "/v1/datasets")
    assert answer.status_code == 401
    assert answer.json()["error"].startswith("This token is missing, unknown or expired")


def test_issuer_that_is_down_makes_its_tokens_unavailable_and_no_others(tmp_path: Path, issuer: Issuer) -> None:
    issuer.respond = lambda handler: send(handler, b"", 500)
    service = Service(tmp_path, issuer)
    [answer] = service.ask(issuer.token(), "/v1/datasets")
    assert (answer.status_code, answer.json()) == (
        503,
        {"error": "The identity provider is out of reach, so this token cannot be checked; try again later."},
    )
    assert service.ask("analyst", "/v1/datasets")[0].status_code == 200


def test_proof_of_a_caller_says_how_they_were_identified(tmp_path: Path, issuer: Issuer) -> None:
    service = Service(tmp_path, issuer)
    assert service.ask("analyst", ROUTES[1])[0].json() == {"token_hash": hash_of("analyst")}
    assert service.ask(issuer.token(), ROUTES[1])[0].json() == {
        "issuer": issuer.address,
        "audience": AUDIENCE,
        "account": "alice",
        "datasets": ["patients"],
        "custodian": False,
        "expires_at": NOW + 300,
    }


def test_account_that_asks_too_fast_is_told_to_wait_and_others_are_not(tmp_path: Path, issuer: Issuer) -> None:
    service = Service(tmp_path, issuer, Rates(Rate(10, 2), clock=lambda: 0.0))
    answers = service.ask("analyst", *["/v1/datasets"] * 3)
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[2].headers["retry-after"] == "10"
    assert answers[2].json() == {
        "error": "This account sends requests too fast; wait 10 seconds and send this one again."
    }
    assert service.ask("custodian", "/v1/datasets")[0].status_code == 429  # a token of the same account
    assert service.ask(issuer.token(), "/v1/datasets")[0].status_code == 200


def test_failures_without_end_lock_nobody_out_who_has_a_token(tmp_path: Path, issuer: Issuer) -> None:
    service = Service(tmp_path, issuer, Rates(failures=Rate(10, 2), clock=lambda: 0.0))
    failed = [service.ask(token, "/v1/datasets")[0].status_code for token in (None, "unknown", "expired", "a.b.c")]
    assert failed == [401, 401, 429, 429]
    for token in ("analyst", issuer.token()):
        assert service.ask(token, "/v1/datasets")[0].status_code == 200


def test_stream_holds_a_place_of_its_account_until_it_ends(tmp_path: Path) -> None:
    rates = Rates()
    service = Service(tmp_path, None, rates)
    [answer] = service.ask("analyst", "/events")
    assert answer.text == '{"research": 1}\n' * 3
    assert not rates._waiting
    with ExitStack() as others:
        for _ in range(MOST_WAITING):
            others.enter_context(rates.waiting("research"))
        assert service.ask("analyst", "/events")[0].status_code == 429
    assert service.ask("analyst", "/events")[0].status_code == 200


def test_audit_names_the_holder_of_a_token_or_the_account(tmp_path: Path, issuer: Issuer) -> None:
    service, file = Service(tmp_path, issuer), tmp_path / "audit.jsonl"
    with open_audit(file):
        for token in ("analyst", issuer.token(), "unknown", None):
            service.ask(token, "/v1/datasets/patients")
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [(line["who"], line["status"]) for line in lines] == [
        ("analyst", 200),
        ("alice", 200),
        ("-", 401),
        ("-", 401),
    ]
