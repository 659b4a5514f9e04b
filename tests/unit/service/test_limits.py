"""A field that holds too much is refused before the request waits for a turn, and with little work."""

import asyncio
import dataclasses
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import eremite
from eremite import CountQuery, DetectQuery, InputError
from eremite.service import limits, openapi, tokens
from eremite.service.lanes import Lane
from eremite.service.limits import LIMITS, Facts
from eremite.service.requests import QueryBody
from tests.unit.service.in_process import COLUMNS, GOOD, ROWS, Service, service

FACTS = Facts(rows=ROWS, columns=len(COLUMNS), longest_name=5, categories=1)
DESCRIBED = openapi()["paths"]
PATHS = {path: next(iter(methods)).upper() for path, methods in DESCRIBED.items()}
TEXTS = ("mechanism", "request_id", "utility", "selection", "shape")
#: As JSON: long, deep, many digits, large exponents, many parts.
HUGE = {
    "text": json.dumps("x" * 10**5),
    "digits": "9" * 10**5,
    "digits as text": json.dumps("9" * 10**5),
    "fraction as text": json.dumps("1/" * 10**4 + "3"),
    "decimals": f"0.{'1' * 10**5}",
    "exponent": "1e999999999",
    "small exponent": "1e-999999999",
    "exponent as text": '"1e999999999"',
    "exponent out of range": "1e" + "9" * 30,
    "list": json.dumps(["bmi"] * 10**5),
    "list of a long text": json.dumps(["x" * 10**5]),
    "list of digits": f"[{'9' * 10**5}]",
    "list of large numbers": json.dumps([10**300] * 5),
    "list in a list": json.dumps([["bmi"] * 10**5]),
    "lists in a list": json.dumps([["bmi"]] * (10**5 + 1)),
    "depth": "[" * 500 + "]" * 500,
    "more depth": "[" * 10**5 + "]" * 10**5,
    "object": json.dumps({str(i): i for i in range(10**4)}),
}
LONG = ("text", "digits", "digits as text", "list", "list in a list")


def fields() -> Iterator[tuple[str, str, Callable[[str], bytes]]]:
    """Every field of every question, as OpenAPI lists it, and a function that makes a body with a given value."""
    for path in PATHS:
        body = DESCRIBED[path].get("post", {}).get("requestBody")
        if body is None:
            continue
        route = path.split("{name}/")[1]
        schema = body["content"]["application/json"]["schema"]
        for name in schema["properties"]:
            yield route, name, lambda value, route=route, name=name: sent(GOOD[route], name, value)  # type: ignore[misc]
        if "definition" in schema["properties"]:
            for name in schema["properties"]["definition"]["properties"]:
                yield route, name, lambda value, route=route, name=name: sent_within(GOOD[route], name, value)  # type: ignore[misc]


def sent(good: dict[str, Any], name: str, value: str) -> bytes:
    family = {"size", "max_size", "subspaces"}
    kept = {key: part for key, part in good.items() if key != name and not (name in family and key in family)}
    parts = [f'"{name}": {value}', *(f'"{key}": {json.dumps(part)}' for key, part in kept.items())]
    return f"{{{', '.join(parts)}}}".encode()


def sent_within(good: dict[str, Any], name: str, value: str) -> bytes:
    return sent(good, "definition", sent(good["definition"], name, value).decode())


FIELDS = list(fields())
IDS = [f"{route} {name}" for route, name, _ in FIELDS]


def body_of(route: str) -> QueryBody:
    """The body that a route takes, as OpenAPI names it."""
    post = DESCRIBED[f"/v1/datasets/{{name}}/{route}"]["post"]
    title = post["requestBody"]["content"]["application/json"]["schema"]["title"]
    return QueryBody(getattr(eremite, title), spends="409" in post["responses"])


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Service:
    return service(tmp_path_factory.mktemp("limits"))


@pytest.fixture
def no_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Taking a turn fails, which would show as an internal error."""
    monkeypatch.setattr(Lane, "put", lambda *_: pytest.fail("a turn was taken"))


def test_every_field_of_every_question_has_a_limit_and_no_other_does() -> None:
    assert len(FIELDS) > 60
    assert {name for _, name, _ in FIELDS} == set(LIMITS)


@pytest.mark.parametrize("route", GOOD)
def test_question_that_fits_is_within_its_limits(route: str) -> None:
    query, _ = body_of(route).read(json.dumps(GOOD[route]).encode(), FACTS)
    assert GOOD[route].keys() <= {field.name for field in dataclasses.fields(query)}


@pytest.mark.long
@pytest.mark.parametrize(("route", "name", "send"), FIELDS, ids=IDS)
def test_long_values_of_every_field_are_refused_over_http_without_a_turn_or_a_charge(
    served: Service, no_turns: None, route: str, name: str, send: Callable[[str], bytes]
) -> None:
    before = served.events()
    for answer in served.ask(*(("POST", f"/v1/datasets/patients/{route}", send(HUGE[how])) for how in LONG)):
        assert answer.status_code == 422, answer.text
        assert list(answer.json()) == ["error"]
        assert len(answer.content) < 600
        assert "\n" not in answer.json()["error"]
    assert served.events() == before


@pytest.mark.long
@pytest.mark.parametrize(("route", "name", "send"), FIELDS, ids=IDS)
def test_huge_values_of_every_field_are_refused_with_little_work(
    route: str, name: str, send: Callable[[str], bytes]
) -> None:
    """The number of function calls grows linearly with the number of values sent."""
    body = body_of(route)
    for how, value in HUGE.items():
        if how == "exponent as text" and name in (*TEXTS, "by"):
            continue  # a short text
        sent = send(value)
        calls, error = counted_calls(lambda sent=sent: body.read(sent, FACTS))  # type: ignore[misc]
        assert calls < 1000 + 8 * sent.count(b","), how
        assert error is not None, how
        assert len(str(error)) < 600, how


def counted_calls(work: Callable[[], object]) -> tuple[int, Exception | None]:
    calls, error = 0, None

    def count(_: object, event: str, __: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    except Exception as raised:
        error = raised
    finally:
        sys.setprofile(None)
    return calls, error


def over(name: str) -> Iterator[tuple[str, str, str]]:
    """For each limit of a field: a value at it, one beyond it, and the beginning of the error."""
    limit = LIMITS[name]
    names = [f"x{i}" for i in range(200_000)]
    if limit.number is not None:
        most = limit.number(FACTS)
        at, beyond = (f"[{most}]", f"[{most + 1}]") if name == "radii" else (str(most), str(most + 1))
        if name not in ("epsilon", "within"):  # lists too
            yield at, beyond, f"{name} must be at most {most:,}"
    if limit.length is not None:
        most = limit.length(FACTS)
        part: Any = ["bmi"] if limit.inner_length else (0.5 if limit.number and not limit.names else "bmi")
        parts = [part] * (most + 1)
        if name != "epsilon":
            yield json.dumps(parts[:-1]), json.dumps(parts), f"{name} must have at most {most:,} entries"
    if limit.inner_length is not None:
        most = limit.inner_length(FACTS)
        at, beyond = json.dumps([names[:most]]), json.dumps([names[: most + 1]])
        yield at, beyond, f"Each part of {name} must have at most {most:,} entries"
    if name in TEXTS:
        yield json.dumps("x" * 200), json.dumps("x" * 201), f"A text in {name} is longer than 200 characters"


@pytest.mark.parametrize("name", LIMITS)
def test_limit_is_met_and_not_passed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A value at the limit is validated; one beyond it is refused before."""
    route, _, send = next(each for each in FIELDS if each[1] == name)
    body, validated = body_of(route), []
    monkeypatch.setattr(body, "_validate", validated.append)
    for at, beyond, sentence in over(name):
        body.read(send(at), FACTS)
        assert len(validated) == 1
        validated.clear()
        with pytest.raises(InputError) as refused:
            body.read(send(beyond), FACTS)
        assert str(refused.value).startswith(sentence)
        assert not validated


@pytest.mark.parametrize("length", [20, 21])
def test_forecasts_are_for_twenty_epsilons_at_most(length: int) -> None:
    content, body = sent(GOOD["forecast/count"], "epsilon", json.dumps([1] * length)), body_of("forecast/count")
    if length == 20:
        assert len(body.read(content, FACTS)[0].epsilon) == length
    else:
        with pytest.raises(InputError, match="epsilon must have at most 20 entries"):
            body.read(content, FACTS)


def test_column_may_have_as_long_a_name_as_the_tables_longest() -> None:
    long = Facts(rows=40, columns=2, longest_name=500)
    content, body = sent(GOOD["count"], "columns", json.dumps(["x" * 500])), QueryBody(CountQuery, spends=True)
    assert body.read(content, long)[0].columns == ["x" * 500]
    with pytest.raises(InputError, match="A text in columns is longer than 200 characters"):
        body.read(content, FACTS)


def test_accuracy_of_a_forecast_is_a_number_with_a_limit() -> None:
    body, good = body_of("forecast/count/epsilon"), GOOD["forecast/count/epsilon"]
    assert body.read(sent(good, "within", str(2**32)), FACTS)[0].within == 2**32
    for value, sentence in ((str(2**32 + 1), "within must be at most 4,294,967,296"), ('"sex"', "a list of columns")):
        with pytest.raises(InputError, match=sentence):
            body.read(sent(good, "within", value), FACTS)


POINTS = {"a cell": "[[1, {}]]", "a cell by name": '[{{"bmi": {}}}]', "a name": "[{{{}: 1}}]"}


@pytest.mark.parametrize("how", POINTS)
@pytest.mark.parametrize("route", ["detect", "explain"])
def test_text_of_a_point_is_no_longer_than_a_name_or_a_category(route: str, how: str) -> None:
    field, body = {"detect": "candidates", "explain": "point"}[route], body_of(route)
    for length in (200, 201):
        content = sent(GOOD[route], field, POINTS[how].format(json.dumps("x" * length)))
        if length == 200:
            body.read(content, FACTS)
        else:
            with pytest.raises(InputError, match=f"A text in {field} is longer than 200 characters"):
                body.read(content, FACTS)


def test_longest_category_and_a_private_number_of_rows_set_the_limits() -> None:
    wards = {"ward": ["x" * 300, "y"], "sex": [True, False]}
    frame = {"bmi": [1.0], "ward": ["y"], "sex": [True]}
    table = eremite.Table.from_frame(frame, {"bmi": (0, 1)}, categories=wards, neighbors="add-remove", rows_about=5)
    facts = limits.facts_of(table.facts)
    assert facts == Facts(rows=2**32, columns=1, longest_name=300, categories=2)
    with pytest.raises(InputError, match="min_neighbors must be at most 4,294,967,295: no table has more rows"):
        limits.require_within_limits({"min_neighbors": 2**33}, facts)


def test_number_that_is_no_float_is_refused_before_the_turn() -> None:
    with pytest.raises(InputError, match="number or a text that is not as large"):
        QueryBody(DetectQuery, spends=True).read(sent(GOOD["detect"], "candidates", "[[1e999, 0]]"), FACTS)


@pytest.mark.parametrize("path", [path for path in PATHS if path not in ("/healthz", "/readyz")])
def test_long_token_is_refused_unhashed(
    served: Service, path: str, monkeypatch: pytest.MonkeyPatch, no_turns: None
) -> None:
    monkeypatch.setattr(tokens, "hash_of", lambda _: pytest.fail("was hashed"))

    async def run() -> int:
        async with served.client("x" * 10**5) as client:
            return (await client.request(PATHS[path], path)).status_code

    assert asyncio.run(run()) == 401


@pytest.mark.parametrize("path", [path for path in PATHS if "{name}" in path])
def test_long_name_of_a_dataset_is_refused_in_a_short_sentence(served: Service, no_turns: None, path: str) -> None:
    address = path.replace("{name}", "x" * 30_000) + "?" + "a=1&" * 5_000
    [answer] = served.ask((PATHS[path], address, b"{}"))
    assert answer.status_code == 404
    assert len(answer.content) < 200


def test_page_of_the_service_lists_every_limit() -> None:
    page = (Path(__file__).parents[3] / "docs/how-to/service.md").read_text()
    rows = [line for line in page.splitlines() if line.startswith("|")]
    missing = [name for name in LIMITS if name != "definition" and not any(f"`{name}`" in row for row in rows)]
    assert missing == []
    told = "\n".join(rows)
    for number in (limits.MAX_TOKEN_CHARS, limits.MAX_NUMBER_CHARS, 20, 1_000, 100_000):
        assert f"{number:,}" in told
    assert f"{limits.MAX_BODY_BYTES // 2**20} MiB" in told
    assert f"{limits.MAX_HEAD_BYTES // 2**10} KiB" in told


def test_definition_within_a_definition_is_not_followed():
    """A body of nested definitions must not go as deep as its sender likes."""
    nested: dict[str, Any] = {"min_neighbors": 5, "radius": 0}
    for _ in range(5_000):
        nested = {"definition": nested, "min_neighbors": 5}
    limits.require_within_limits({"definition": nested}, Facts(100, 2, 3))
    with pytest.raises(InputError, match="min_neighbors must be at most 99"):
        limits.require_within_limits({"definition": {"min_neighbors": 100}}, Facts(100, 2, 3))


def test_limit_of_neighbors_says_how_many_rows_there_are_where_that_is_public() -> None:
    rows = {"a": [0.5] * 7}
    public = eremite.Table.from_frame(rows, {"a": (0, 1)})
    private = eremite.Table.from_frame(rows, {"a": (0, 1)}, neighbors="add-remove", rows_about=9)
    for table, words in (
        (public, "at most 6: the table has 7 rows"),
        (private, "4,294,967,295: no table has more rows"),
    ):
        with pytest.raises(InputError, match=words):
            limits.require_within_limits({"min_neighbors": 2**33}, limits.facts_of(table.facts))
