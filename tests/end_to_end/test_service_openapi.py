"""OpenAPI is right: every status it lists occurs, no other does, and every response matches its schema.

Each route meets every mishap, whether OpenAPI lists it for this route or not.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from eremite.service import auth, openapi
from eremite.service.application import application
from eremite.service.schemas import ERROR, REFUSAL
from eremite.service.tokens import change_grants
from tests.end_to_end.served import COUNT, DEFINITION, QUESTIONS, Served, serving, written
from tests.unit.service.in_process import state_of, waiting

SEARCH = {"definition": DEFINITION, "h": 1, "size": 1, "shape": "uniform"}
NEAR = {"definition": DEFINITION, "h": 1}
GOOD: dict[str, Any] = QUESTIONS | {
    "rows": {"epsilon": 0.1},
    "cap": {"account": "guests", "epsilon": 1, "reason": "a study"},
    "count-by": {"definition": DEFINITION, "by": "ward", "epsilon": 0.1},
    "forecast/count-by": {"definition": DEFINITION, "by": ["ward"], "epsilon": [1]},
    "forecast/count": {"definition": DEFINITION},
    "forecast/count/epsilon": {"definition": DEFINITION, "within": 20},
    "forecast/count/mechanisms": {"definition": DEFINITION, "epsilon": [1]},
    "forecast/radius": {"min_neighbors": 3, "share": 0.1, "radii": [0.05, 0.1]},
    "forecast/rows": {"epsilon": [1]},
    "forecast/subspaces": SEARCH | {"epsilon": [1]},
    "forecast/subspaces/epsilon": SEARCH,
    "forecast/report": SEARCH | {"epsilon": [1]},
    "forecast/report/epsilon": SEARCH,
    "forecast/detect": NEAR | {"candidates": [[25, 75.5], [58, 190]], "epsilon": [1]},
    "forecast/detect/epsilon": NEAR | {"candidates": [[25, 75.5], [58, 190]]},
    "forecast/explain": NEAR | {"max_size": 2, "point": [25, 75.5], "epsilon": [1]},
    "forecast/explain/epsilon": NEAR | {"max_size": 2, "point": [25, 75.5]},
}
#: The number of rows is asked for where it is private, and groups where there are some.
PRIVATE_NUMBER = 'neighbors = "add-remove"\nrows_about = 50'
WARDS = '[columns]\nward = { categories = ["A", "B"] }\n'
ROUTES = [(method.upper(), path) for path, methods in openapi()["paths"].items() for method in methods]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("described")
    tokens = written(folder, PRIVATE_NUMBER)
    for name in ("patients", "wages"):
        described = folder / f"{name}.toml"
        described.write_text(described.read_text().replace("[columns]\n", WARDS))
    lines = (folder / "patients.csv").read_text().splitlines()
    wards = ["ward", *(["A", "B"] * len(lines))]
    (folder / "patients.csv").write_text("".join(f"{line},{ward}\n" for line, ward in zip(lines, wards, strict=False)))
    with serving(folder, tokens, "--lanes", "3") as served:  # a lane that is shared cannot be reloaded
        cap = {"epsilon": 18, "reason": "many questions"}
        served.client.put(f"{served.address}/v1/datasets/patients/cap", json=cap, headers=served.sent("boss"))
        yield served


@pytest.fixture(scope="module")
def described(service: Served) -> Any:
    return service.client.get(f"{service.address}/openapi.json").json()


def met(service: Served, method: str, path: str) -> Iterator[httpx.Response]:
    """A valid question of a custodian, an analyst and nobody; for another dataset; and with invalid bodies."""
    good = GOOD.get(path.split("{name}/")[-1], {})
    known = service.ask("/patients/count?wait=0", COUNT, "boss").json()["id"] if "{job}" in path else ""
    there, elsewhere = (
        f"{service.address}{path.format(name=name, job=job)}"
        for name, job in (("patients", known), ("nothing", "nothing"))
    )
    for address, who in ((there, "boss"), (there, "alice"), (there, "nobody"), (elsewhere, "boss")):
        yield service.client.request(method, waiting(method, address), json=good, headers=service.sent(who))
    long = b" " * (5 * 2**20)
    # A reload looks at no body, and opens the rows each time.
    others = () if path.endswith("reload") else (b"{", b"{}", json.dumps(good | {"epsilon": "19"}).encode())
    for content in (long, *others):
        yield service.client.request(method, waiting(method, there), content=content, headers=service.sent("boss"))
    if not others:
        return
    if method == "POST":
        unknown = json.dumps(good).encode() + b" "  # the answers to forecasts are known
        yield service.client.request(method, there, content=unknown, headers=service.sent("boss"))
    yield service.client.request(method, f"{there}?wait=61&limit=0", json=good, headers=service.sent("boss"))


def unmet(method: str, path: str) -> set[str]:
    """What is met elsewhere: too many requests, jobs that are canceled while they wait, rows that do not fit."""
    return {"429"} | ({"200"} if method == "DELETE" else set()) | ({"422"} if path.endswith("reload") else set())


def mishaps(folder: Path, method: str, path: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[httpx.Response]:
    """An unexpected error, a service that stops, and a lost token file."""
    app = application(state_of({}, folder / "tokens.json", tick=1))
    change_grants(folder / "tokens.json", lambda _: ())
    with monkeypatch.context() as patched:
        patched.setattr(auth, "find_grant", lambda *_: 1 / 0)
        yield asyncio.run(asked(app, method, path))
    yield asyncio.run(stopped(lambda: asked(app, method, path)))
    (folder / "tokens.json").unlink()
    yield asyncio.run(asked(app, method, path))


async def asked(app: FastAPI, method: str, path: str) -> httpx.Response:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://service") as client:
        return await client.request(method, path, headers={"Authorization": "Bearer secret"})


async def stopped(ask: Callable[[], Awaitable[httpx.Response]]) -> httpx.Response:
    """Cancel the request, as a service does that is told twice to stop."""
    asking = asyncio.ensure_future(ask())
    await asyncio.sleep(0.05)  # its answer waits for a tenth of a tick
    asking.cancel()
    return await asking


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_statuses_that_occur_are_those_described_and_answers_fit(
    service: Served, described: Any, method: str, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    says = described["paths"][path][method.lower()]["responses"]
    occurred = set()
    for answer in (*met(service, method, path), *mishaps(tmp_path, method, path, monkeypatch)):
        status = str(answer.status_code)
        occurred.add(status)
        assert status in says, answer.text
        schema = says[status]["content"][answer.headers["content-type"].split(";")[0]]["schema"]
        if answer.headers["content-type"] == "application/json":
            assert misfits(answer.json(), schema) == [], answer.text
        assert status in ("200", "202") or schema == (REFUSAL if status == "409" else ERROR)
    assert occurred | unmet(method, path) == set(says) | unmet(method, path)


def misfits(value: Any, schema: Any, way: str = "") -> list[str]:
    """Where a value does not match its schema; a field that is not described is a misfit too."""
    if "anyOf" in schema:
        return min((misfits(value, each, way) for each in schema["anyOf"]), key=len)
    kinds = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool}
    kind = schema.get("type")
    if kind == "null" or kind is None:
        return [] if kind is None or value is None else [way]
    if not isinstance(value, kinds[kind]) or (isinstance(value, bool) and kind != "boolean"):
        return [way]
    return [*_misfitting_fields(value, schema, way), *_misfitting_items(value, schema, way)]


def _misfitting_fields(value: Any, schema: Any, way: str) -> Iterator[str]:
    if not isinstance(value, dict):
        return
    known = schema.get("properties", {})
    yield from (f"{way}.{name} is missing" for name in schema.get("required", ()) if name not in value)
    for name, part in value.items():
        about = known.get(name, schema.get("additionalProperties", None if known else {}))
        yield from [f"{way}.{name} is not described"] if about is None else misfits(part, about, f"{way}.{name}")


def _misfitting_items(value: Any, schema: Any, way: str) -> Iterator[str]:
    if isinstance(value, list):
        abouts = schema.get("prefixItems") or [schema["items"]] * len(value)
        for place, (part, about) in enumerate(zip(value, abouts, strict=True)):
            yield from misfits(part, about, f"{way}[{place}]")


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ({"error": "Why."}, []),
        ({"error": 5}, [".error"]),
        ({}, [".error is missing"]),
        ({"error": "Why.", "row": 7}, [".row is not described"]),
        ([], [""]),
    ],
)
def test_misfits_are_found(value: Any, where: list[str]) -> None:
    assert misfits(value, ERROR) == where
