"""The commands and their options. What a command needs is imported when it runs, so that --help is quick."""

from pathlib import Path
from typing import Annotated

import typer

from eremite.cli.asked import MadeUp, Question, Sets
from eremite.cli.budget_group import budget
from eremite.cli.completions import description_files
from eremite.cli.forecast_group import forecast
from eremite.cli.ledger_group import ledger as ledger_group
from eremite.cli.options import (
    TOKENS,
    AccountName,
    AsJson,
    Columns,
    Delta,
    DescriptionFile,
    Epsilon,
    LedgerPlace,
    ListedSets,
    MadeUpRows,
    MadeUpShape,
    MaxSize,
    MinNeighbors,
    NoiseName,
    PlotFile,
    Radius,
    RequestId,
    SelectionName,
    ShowProgress,
    Size,
    TokenFile,
    TopSets,
    UtilityName,
)
from eremite.cli.purse import Purse
from eremite.cli.token_group import token
from eremite.cli.told import tell
from eremite.errors import InputError
from eremite.version import __version__

app = typer.Typer(
    name="eremite",
    help="Differentially private answers about the outliers of a private table.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(forecast, name="forecast")
app.add_typer(budget, name="budget")
app.add_typer(ledger_group, name="ledger")
app.add_typer(token, name="token")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"eremite {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Differentially private answers about the outliers of a private table."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(2)


@app.command()
def init(
    file: Annotated[Path, typer.Argument(help="A .csv, .csv.gz, .parquet, .arrow or .feather file.")],
    output: Annotated[
        Path | None, typer.Option("--output", help="Where to write; default: next to FILE, ending in .toml.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a description of FILE, bounds left to fill in. It has the numeric columns.

    For the custodian: in a CSV file, which columns are numeric is judged by its first rows, so what is written, or
    refused, depends on them. Read the description before it is handed on.
    """
    from eremite.cli.init import run

    typer.echo(run(file, output, as_json))


@app.command()
def check(description: DescriptionFile, as_json: AsJson = False) -> None:
    """Open a table, as the custodian, and print what is public.

    If the rows do not fit, it says what is wrong: which column, and how many rows. That is for the custodian alone;
    commands that ask do not say it.
    """
    from eremite.cli.check import run

    typer.echo(run(description, as_json))


@app.command()
def count(
    description: DescriptionFile,
    min_neighbors: MinNeighbors,
    radius: Radius,
    epsilon: Epsilon,
    columns: Columns = None,
    delta: Delta = "0",
    mechanism: NoiseName = "auto",
    ledger: LedgerPlace = None,
    account: AccountName = "analyst",
    request_id: RequestId = None,
    plot: PlotFile = None,
    as_json: AsJson = False,
) -> None:
    """Count the outliers, with noise that protects every row. Spends epsilon."""
    from eremite.cli.count import run

    question, purse = Question(description, min_neighbors, radius, columns), Purse(ledger, account, request_id)
    tell(run(question, purse, as_json, epsilon=epsilon, delta=delta, mechanism=mechanism), plot)


@app.command()
def subspaces(
    description: DescriptionFile,
    min_neighbors: MinNeighbors,
    radius: Radius,
    top: TopSets,
    epsilon: Epsilon,
    size: Size = None,
    max_size: MaxSize = None,
    subspace: ListedSets = None,
    delta: Delta = "0",
    utility: UtilityName = "auto",
    selection: SelectionName = "permute-and-flip",
    progress: ShowProgress = False,
    ledger: LedgerPlace = None,
    account: AccountName = "analyst",
    request_id: RequestId = None,
    plot: PlotFile = None,
    as_json: AsJson = False,
) -> None:
    """Name the sets of columns with the most outliers. Spends epsilon. Give one of --size, --max-size, --subspace."""
    from eremite.cli.subspaces import Search, run

    search = Search(
        question=Question(description, min_neighbors, radius), sets=Sets(size, max_size, subspace), top=top,
        epsilon=epsilon, delta=delta, progress=progress,
    )  # fmt: skip
    purse = Purse(ledger, account, request_id)
    tell(run(search, purse, as_json, utility=utility, selection=selection), plot)


@app.command()
def report(
    description: DescriptionFile,
    min_neighbors: MinNeighbors,
    radius: Radius,
    top: TopSets,
    epsilon: Epsilon,
    size: Size = None,
    max_size: MaxSize = None,
    subspace: ListedSets = None,
    delta: Delta = "0",
    progress: ShowProgress = False,
    ledger: LedgerPlace = None,
    account: AccountName = "analyst",
    request_id: RequestId = None,
    plot: PlotFile = None,
    as_json: AsJson = False,
) -> None:
    """Name the sets with the most outliers, with noisy counts. Spends one epsilon in all.

    Give one of --size, --max-size, --subspace.
    """
    from eremite.cli.subspaces import Search, run

    search = Search(
        question=Question(description, min_neighbors, radius), sets=Sets(size, max_size, subspace), top=top,
        epsilon=epsilon, delta=delta, progress=progress,
    )  # fmt: skip
    tell(run(search, Purse(ledger, account, request_id), as_json), plot)


@app.command()
def detect(
    description: DescriptionFile,
    min_neighbors: MinNeighbors,
    radius: Radius,
    top: Annotated[int, typer.Option("--top", help="How many candidates to name (h).")],
    epsilon: Epsilon,
    candidates: Annotated[
        Path | None,
        typer.Argument(
            help="A .csv, .csv.gz, .parquet, .arrow or .feather file of public points, one a row, in the units of the "
            "table, with at least the chosen columns."
        ),
    ] = None,
    rows: Annotated[
        bool, typer.Option("--rows", help="Draw among the table's own rows instead: close to a random pick.")
    ] = False,
    columns: Columns = None,
    ledger: LedgerPlace = None,
    account: AccountName = "analyst",
    request_id: RequestId = None,
    plot: PlotFile = None,
    as_json: AsJson = False,
) -> None:
    """Name the candidates with the fewest rows near them. Spends epsilon.

    The text numbers candidates from 1, as a person counts; the JSON holds their places from 0.
    """
    from eremite.cli.detect import run

    question, purse = Question(description, min_neighbors, radius, columns), Purse(ledger, account, request_id)
    tell(run(question, candidates, rows, purse, as_json, top=top, epsilon=epsilon), plot)


@app.command("choose-radius")
def choose_radius(
    description: DescriptionFile,
    min_neighbors: MinNeighbors,
    share: Annotated[str, typer.Option("--share", help="Which part of the rows shall be outliers: 0.01 or 1/100.")],
    columns: Columns = None,
    radii: Annotated[
        str | None, typer.Option("--radii", help="A public list of radii, with commas; default: 0.001 to 0.4.")
    ] = None,
    epsilon: Annotated[str | None, typer.Option("--epsilon", help="Ask the table privately, for so much.")] = None,
    from_stand_in: Annotated[
        bool, typer.Option("--from-stand-in", help="Ask public or made-up rows instead, for free.")
    ] = False,
    rows: MadeUpRows = None,
    shape: MadeUpShape = "clusters",
    ledger: LedgerPlace = None,
    account: AccountName = "analyst",
    request_id: RequestId = None,
    plot: PlotFile = None,
    as_json: AsJson = False,
) -> None:
    """Choose the radius for a wanted share of outliers. Spends epsilon, or asks a stand-in."""
    from eremite.cli.radius import Wanted, freely, privately, require_one_way

    require_one_way(epsilon, from_stand_in, plot)
    wanted = Wanted(description, min_neighbors, share, columns, radii)
    if epsilon is None:
        typer.echo(freely(wanted, MadeUp(rows, shape), as_json))
    else:
        tell(privately(wanted, epsilon, Purse(ledger, account, request_id), as_json), plot)


@app.command()
def history(
    description: DescriptionFile,
    account: Annotated[str | None, typer.Option("--account", help="Only what this account did.")] = None,
    csv_file: Annotated[Path | None, typer.Option("--csv", help="Write a CSV file instead.")] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Find out whether an event was changed, removed or reordered.")
    ] = False,
    noted: Annotated[
        str | None, typer.Option("--noted", help="With --verify: a hash that an earlier one gave; is it still there?")
    ] = None,
    ledger: LedgerPlace = None,
    plot: PlotFile = None,
    as_json: AsJson = False,
) -> None:
    """Show all that was charged, released, refused and set. In order; spends nothing."""
    from eremite.cli import history

    if noted is not None and not verify:
        raise InputError("Give --noted together with --verify.")
    if not verify:
        tell(history.run(description, ledger, account, as_json, csv_file), plot)
        return
    if plot is not None:
        raise InputError("Give --plot or --verify, not both.")
    verdict, sound = history.verify(description, ledger, noted, as_json)
    typer.echo(verdict)
    raise typer.Exit(0 if sound else 2)


@app.command()
def serve(
    descriptions: Annotated[
        list[Path],
        typer.Argument(help="The description files (.toml) of the datasets.", autocompletion=description_files),
    ],
    host: Annotated[str, typer.Option("--host", help="The address to listen on; others cannot reach 127.0.0.1.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option("--port", help="The port to listen on; 0 for any that is free.")] = 8000,
    ledger: LedgerPlace = None,
    new_ledger: Annotated[
        bool, typer.Option("--new-ledger", help="Make ledgers that are not there; without it, they are missed.")
    ] = False,
    tokens: TokenFile = TOKENS,
    root_path: Annotated[
        str, typer.Option("--root-path", help="Where a proxy puts the service, such as /eremite.")
    ] = "",
    tick: Annotated[
        float, typer.Option("--tick", help="Answers come after a whole number of so many seconds: they tell no more.")
    ] = 1.0,
    as_json: AsJson = False,
) -> None:
    """Answer questions over HTTP, of those who have a token. Put a proxy with TLS in front."""
    from eremite.cli.serve import serve

    serve(
        descriptions,
        host=host,
        port=port,
        ledger=ledger,
        new_ledger=new_ledger,
        tokens=tokens,
        root_path=root_path,
        tick=tick,
        as_json=as_json,
    )


@app.command()
def paper(
    output: Annotated[Path, typer.Option("--output", help="Where to write tables, figures and claims.md.")] = Path(
        "paper"
    ),
    data: Annotated[
        Path | None, typer.Option("--data", help="A folder with the UCI tables Adult and Ionosphere.")
    ] = None,
    download: Annotated[bool, typer.Option("--download", help="Fetch them from the UCI archive instead.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Small tables and few runs, to see that it works.")] = False,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same numbers.")] = 2015,
    as_json: AsJson = False,
) -> None:
    """Repeat the paper's experiments and judge its claims. A run that was stopped goes on where it was."""
    from eremite.cli.paper import run

    typer.echo(run(output, data, download, quick, seed, as_json))


@app.command()
def demo(
    folder: Annotated[Path, typer.Option("--folder", help="Where to write the example.")] = Path("demo"),
) -> None:
    """Show what eremite does, on a generated table."""
    from eremite.demo import run

    run(folder)
