"""`eremite token`: make, list and revoke the tokens of the HTTP service."""

from datetime import date
from typing import TYPE_CHECKING, Annotated

import typer

from eremite.cli.options import TOKENS, AsJson, TokenFile
from eremite.cli.output import dump_json, grid, render
from eremite.errors import InputError
from eremite.names import list_names, show_name

if TYPE_CHECKING:
    from eremite.service.tokens import Grant

token_app = typer.Typer(help="Manage who may ask questions over HTTP.", rich_markup_mode=None)
TokenName = Annotated[str, typer.Argument(help="The name of the token's holder, to list and revoke it by.")]


@token_app.command()
def add(
    name: TokenName,
    account: Annotated[str, typer.Option("--account", help="The account that its questions are charged to.")],
    dataset: Annotated[
        list[str], typer.Option("--dataset", metavar="<str>", help="A dataset it may ask about. Repeat for each.")
    ],
    custodian: Annotated[
        bool, typer.Option("--custodian", help="Let it read all budgets and the history as well.")
    ] = False,
    expires: Annotated[str | None, typer.Option("--expires", help="The last day it is valid: 2027-01-31.")] = None,
    tokens: TokenFile = TOKENS,
    as_json: AsJson = False,
) -> None:
    """Make a token and print it, once. Only a hash of it is kept."""
    from eremite.service.tokens import Grant, change_grants, hash_of, new_token, utc_today

    token = new_token()
    grant = Grant(
        name=name,
        account=account,
        datasets=tuple(dict.fromkeys(dataset)),
        custodian=custodian,
        expires=None if expires is None else _day(expires, utc_today()),
        hash=hash_of(token),
    )

    def with_new(grants: tuple[Grant, ...]) -> tuple[Grant, ...]:
        if any(one.name == name for one in grants):
            raise InputError(f"There is a token of {show_name(name)} already; revoke it first, or use another name.")
        return (*grants, grant)

    change_grants(tokens, with_new)
    words = f"{token}\nThis is the token of {show_name(name)}. It is shown this once: {tokens} keeps a hash of it."
    typer.echo(dump_json(_facts(grant) | {"token": token}) if as_json else words)


@token_app.command("list")
def list_tokens(tokens: TokenFile = TOKENS, as_json: AsJson = False) -> None:
    """Show who has a token, and for what."""
    from eremite.service.tokens import read_grants

    grants = read_grants(tokens)
    if as_json:
        typer.echo(dump_json([_facts(grant) for grant in grants]))
    else:
        typer.echo(render(grid(("token of", "account", "datasets", "custodian", "expires"), map(_row, grants))))


@token_app.command()
def revoke(name: TokenName, tokens: TokenFile = TOKENS, as_json: AsJson = False) -> None:
    """Revoke a token; a running service refuses it from now on."""
    from eremite.service.tokens import change_grants, read_grants

    def without(grants: tuple["Grant", ...]) -> tuple["Grant", ...]:
        others = tuple(grant for grant in grants if grant.name != name)
        if others == grants:
            raise InputError(f"{tokens} has no token of {show_name(name)}; see eremite token list.")
        return others

    read_grants(tokens)  # refuses a file that does not exist, which `change_grants` would make
    change_grants(tokens, without)
    typer.echo(dump_json({"revoked": name}) if as_json else f"The token of {show_name(name)} is revoked.")


def _facts(grant: "Grant") -> dict[str, object]:
    """The grant without its hash, which nobody needs to see."""
    return {name: value for name, value in grant.to_dict().items() if name != "hash"}


def _row(grant: "Grant") -> tuple[str, ...]:
    until = "never" if grant.expires is None else grant.expires.isoformat()
    names = show_name(grant.name), show_name(grant.account), list_names(grant.datasets, "datasets")
    return (*names, "yes" if grant.custodian else "", until)


def _day(text: str, today: date) -> date:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise InputError("--expires must be a day such as 2027-01-31, the last one the token is valid.") from None
    if day < today:
        raise InputError(f"--expires {day} is in the past (today is {today} in UTC); give today or a later day.")
    return day
