"""The command line's root: every command and group of commands, in the order of `eremite --help`.

A command imports what it needs when it runs, so that --help is quick.
"""

from collections.abc import Callable
from typing import Annotated

import typer

from eremite.cli.ask import choose_radius, count, detect, report, subspaces
from eremite.cli.budget import budget_app
from eremite.cli.dataset import check, init
from eremite.cli.demo import demo
from eremite.cli.explain import explain
from eremite.cli.forecast import forecast_app
from eremite.cli.history import history
from eremite.cli.ledger import ledger_app
from eremite.cli.page import page
from eremite.cli.paper import paper
from eremite.cli.reload import reload
from eremite.cli.rows import rows
from eremite.cli.serve import serve
from eremite.cli.token import token_app
from eremite.version import __version__

app = typer.Typer(
    name="eremite",
    help="Differentially private answers about the outliers of a private table.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
_COMMANDS: dict[str, Callable[..., None]] = {
    "init": init,
    "check": check,
    "count": count,
    "subspaces": subspaces,
    "report": report,
    "detect": detect,
    "explain": explain,
    "choose-radius": choose_radius,
    "rows": rows,
    "history": history,
    "page": page,
    "serve": serve,
    "reload": reload,
    "paper": paper,
    "demo": demo,
}
for _name, _command in _COMMANDS.items():
    app.command(_name)(_command)
app.add_typer(forecast_app, name="forecast")
app.add_typer(budget_app, name="budget")
app.add_typer(ledger_app, name="ledger")
app.add_typer(token_app, name="token")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"eremite {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Differentially private answers about the outliers of a private table."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(2)
