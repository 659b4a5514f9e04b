"""The commands of `eremite token` and their options."""

from typing import Annotated

import typer

from eremite.cli.options import TOKENS, AsJson, TokenFile

token = typer.Typer(help="Say who may ask what over HTTP.", rich_markup_mode=None)
TokenName = Annotated[str, typer.Argument(help="Whose token it is, to list and revoke it by.")]


@token.command("add")
def token_add(
    name: TokenName,
    account: Annotated[str, typer.Option("--account", help="Whose budget its questions spend.")],
    dataset: Annotated[
        list[str], typer.Option("--dataset", metavar="<str>", help="A dataset it may ask about. Once for each.")
    ],
    custodian: Annotated[
        bool, typer.Option("--custodian", help="Let it read all budgets and the history as well.")
    ] = False,
    expires: Annotated[str | None, typer.Option("--expires", help="The last day it is good for: 2027-01-31.")] = None,
    tokens: TokenFile = TOKENS,
    as_json: AsJson = False,
) -> None:
    """Make a token and print it, once. Only a hash of it is kept."""
    from eremite.cli.token import add

    typer.echo(add(tokens, name, account, dataset, custodian, expires, as_json))


@token.command("list")
def token_list(tokens: TokenFile = TOKENS, as_json: AsJson = False) -> None:
    """Show who has a token, and for what."""
    from eremite.cli.token import listed

    typer.echo(listed(tokens, as_json))


@token.command("revoke")
def token_revoke(name: TokenName, tokens: TokenFile = TOKENS, as_json: AsJson = False) -> None:
    """Take a token back; a running service refuses it from now on."""
    from eremite.cli.token import revoke

    typer.echo(revoke(tokens, name, as_json))
