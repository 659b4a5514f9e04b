"""What is not documented is found."""

from dataclasses import replace
from typing import Annotated

import pytest
import typer

from tools.commands import command_page, commands
from tools.documented import missing_commands, missing_keys, missing_names, missing_routes, unmentioned
from tools.routes import Field, Route

ROUTE = Route(
    "POST /v1/count",
    "Count outliers.",
    (Field("definition.radius", "number", "How near."),),
    (Field("value", "integer", "How many."),),
    (("200", "Done."),),
)


def program(does: str = "Count.", help_: str | None = "How near.") -> typer.Typer:
    app = typer.Typer(help="All.", add_completion=False)

    @app.callback()
    def everything() -> None:
        """All."""

    @app.command(help=does)
    def count(radius: Annotated[float, typer.Option("-r", "--radius", help=help_)] = 0.5) -> None: ...

    return app


def missing(app: typer.Typer, prose: str = "eremite count -r 1") -> list[str]:
    listed = commands(app)
    return missing_commands(listed, command_page(listed), prose)


def test_documented_command_misses_nothing():
    assert missing(program()) == []


def test_command_page_shows_usage_and_default():
    page = command_page(commands(program()))
    assert "eremite count [OPTIONS]" in page
    assert "| `-r, --radius <float>` | How near. | `0.5` |" in page


def test_command_without_description_is_found():
    assert missing(program(does="")) == ["eremite count has no description"]


def test_option_without_help_is_found():
    assert missing(program(help_=None)) == ["eremite count: -r, --radius <float> has no help"]


def test_command_that_no_prose_mentions_is_found():
    assert missing(program(), prose="eremite counts, eremite count-all") == [
        "eremite count is on no page but the reference"
    ]


def test_command_and_option_left_out_of_the_page_are_found():
    sentences = missing_commands(commands(program()), "eremite", "eremite count")
    assert sentences == [
        "eremite count is not in the reference",
        "eremite count: -r, --radius <float> is not in the reference",
    ]


def test_public_name_without_docstring_or_page_is_found():
    found = missing_names({"eremite.a": "A.", "eremite.b": " ", "eremite.c": "C."}, ["eremite.a", "eremite.b"])
    assert found == ["eremite.b has no docstring", "eremite.c is not in the reference"]


def test_method_that_no_prose_mentions_is_found():
    names = ["eremite.Session.count", "eremite.Session.coun", "eremite.Session.left"]
    assert unmentioned(names, "session.count(...) tells what is left") == [
        "eremite.Session.coun is on no page but the reference",
        "eremite.Session.left is on no page but the reference",
    ]


def test_key_that_is_not_explained_is_found():
    assert missing_keys(["name", "delta"], "| `name` | what it is called |") == [
        "the key delta is not on the page of the description file"
    ]


def test_documented_route_misses_nothing():
    assert missing_routes([ROUTE], "POST /v1/count") == []


def test_route_that_the_page_leaves_out_is_found():
    assert missing_routes([ROUTE], "") == ["POST /v1/count is not in the reference"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"does": ""}, "POST /v1/count has no description"),
        ({"takes": (Field("k", "integer", ""),)}, "POST /v1/count: k has no description"),
        ({"gives": (Field("value", "integer", ""),)}, "POST /v1/count: value has no description"),
    ],
)
def test_route_or_field_without_description_is_found(change, sentence):
    assert missing_routes([replace(ROUTE, **change)], "POST /v1/count") == [sentence]
