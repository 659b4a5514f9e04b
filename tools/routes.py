"""The routes of the HTTP service as records, taken from its OpenAPI document, and their reference page."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Field:
    """One value in a request or response, with its path: `definition.radius`, `datasets[].name`."""

    way: str
    kind: str
    meaning: str
    otherwise: str = ""


@dataclass(frozen=True, slots=True)
class Route:
    """A route: what it does, the fields of its request and response, and its status codes."""

    name: str
    does: str
    takes: tuple[Field, ...]
    gives: tuple[Field, ...]
    statuses: tuple[tuple[str, str], ...]


def routes(openapi: Mapping[str, Any]) -> list[Route]:
    """All routes, in the order of the service."""
    return [
        _route(f"{method.upper()} {path}", about)
        for path, methods in openapi.get("paths", {}).items()
        for method, about in methods.items()
    ]


def route_page(listed: list[Route]) -> str:
    """The reference page of the service, as Markdown."""
    return "\n".join([_OPENING, *map(_section, listed)])


_OPENING = """# HTTP routes

The routes of `eremite serve`, generated from the program itself; `/openapi.json` has the same as OpenAPI. Requests and
responses are JSON. Send the token in the header `Authorization: Bearer TOKEN`. Every error has the form
`{"error": "One sentence."}`.
"""


def _route(name: str, about: Schema) -> Route:
    does = " ".join(text for text in (about.get("summary", ""), about.get("description", "")) if " " in text)
    parameters = [
        Field(each["name"], _kind(each.get("schema", {})), each.get("description", ""), "in the address")
        for each in about.get("parameters", [])
    ]
    answers = about.get("responses", {})
    told = {status: each["description"] for status, each in answers.items()}
    return Route(
        name,
        does,
        (*parameters, *_fields(_schema(about.get("requestBody", {})))),
        tuple(_fields(_schema(answers.get("200", {})))),
        tuple(sorted(told.items())),
    )


def _schema(part: Schema) -> Schema:
    found: Schema = part.get("content", {}).get("application/json", {}).get("schema", {})
    return found


def _fields(schema: Schema, way: str = "") -> Iterator[Field]:
    """The fields of an object and of the objects in it, each with its path."""
    required = schema.get("required", ())
    for name, about in schema.get("properties", {}).items():
        otherwise = "required" if name in required else _default(about)
        yield Field(way + name, _kind(about), about.get("description", ""), otherwise)
        for each in (about, *about.get("anyOf", ())):
            yield from _fields(each, f"{way}{name}.")
        yield from _fields(about.get("items", {}), f"{way}{name}[].")
        if isinstance(about.get("additionalProperties"), dict):
            yield from _fields(about["additionalProperties"], f"{way}{name}.NAME.")


def _default(about: Schema) -> str:
    return f"`{about['default']}`" if about.get("default") is not None else ""


def _kind(about: Schema) -> str:
    """The type in words: `list of string`, `number or string`."""
    if "anyOf" in about:
        return " or ".join(dict.fromkeys(_kind(each) for each in about["anyOf"]))
    if about.get("type") == "array":
        return f"list of {_kind(about.get('items', {}))}"
    return str(about.get("type", "any"))


def _section(route: Route) -> str:
    parts = [f"## {route.name}", route.does]
    if route.takes:
        rows = [f"| `{each.way}` | {each.kind} | {each.meaning} | {each.otherwise} |" for each in route.takes]
        parts.append("\n".join(["| sent | kind | what it means | default |", "|---|---|---|---|", *rows]))
    if route.gives:
        rows = [f"| `{each.way}` | {each.kind} | {each.meaning} |" for each in route.gives]
        parts.append("\n".join(["| comes back | kind | what it means |", "|---|---|---|", *rows]))
    if route.statuses:
        rows = [f"| {status} | {meaning} |" for status, meaning in route.statuses]
        parts.append("\n".join(["| status | what it means |", "|---|---|", *rows]))
    return "\n\n".join(parts) + "\n"
