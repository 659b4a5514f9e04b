"""The routes of the HTTP service as records, read off its OpenAPI, and the page that shows them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Field:
    """One value that is sent or comes back, by the way to it: `definition.radius`, `datasets[].name`."""

    way: str
    kind: str
    meaning: str
    otherwise: str = ""


@dataclass(frozen=True, slots=True)
class Route:
    """An address, what it does, what it takes and gives, and how it says no."""

    name: str
    does: str
    takes: tuple[Field, ...]
    gives: tuple[Field, ...]
    statuses: tuple[tuple[str, str], ...]


def routes(openapi: Mapping[str, Any]) -> list[Route]:
    """Every route, in the order of the service."""
    return [
        _route(f"{method.upper()} {path}", about)
        for path, methods in openapi.get("paths", {}).items()
        for method, about in methods.items()
    ]


def route_page(listed: list[Route]) -> str:
    """The reference of the service, as Markdown."""
    return "\n".join([_OPENING, *map(_section, listed)])


_OPENING = """# HTTP routes

What `eremite serve` answers, read off the program itself; the same as OpenAPI is at `/openapi.json`. JSON goes in and
comes out. A token goes in the header `Authorization: Bearer TOKEN`. Whatever is not answered says why:
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
    """The fields of an object, and of the objects inside it, each behind the way to it."""
    required = schema.get("required", ())
    for name, about in schema.get("properties", {}).items():
        otherwise = "required" if name in required else _default(about)
        yield Field(way + name, _kind(about), about.get("description", ""), otherwise)
        yield from _fields(about, f"{way}{name}.")
        yield from _fields(about.get("items", {}), f"{way}{name}[].")
        if isinstance(about.get("additionalProperties"), dict):
            yield from _fields(about["additionalProperties"], f"{way}{name}.NAME.")


def _default(about: Schema) -> str:
    return f"`{about['default']}`" if about.get("default") is not None else ""


def _kind(about: Schema) -> str:
    """In words: `list of string`, `number or string`."""
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
