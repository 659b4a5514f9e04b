"""The commands and their options. What a command needs is imported when it runs, so that --help is quick."""

from pathlib import Path
from typing import Annotated

import typer

from eremite.version import __version__

app = typer.Typer(
    name="eremite",
    help="Differentially private answers about the outliers of a private table.",
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]


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
    """Write a description of FILE with its numeric columns, bounds left to fill in."""
    from eremite.cli.init import run

    typer.echo(run(file, output, as_json))


@app.command()
def check(
    description: Annotated[Path, typer.Argument(help="The description file (.toml).")],
    as_json: AsJson = False,
) -> None:
    """Open the table of a description, as the custodian, and print what is public about it."""
    from eremite.cli.check import run

    typer.echo(run(description, as_json))


@app.command()
def count(
    description: Annotated[Path, typer.Argument(help="The description file (.toml).")],
    min_neighbors: Annotated[
        int, typer.Option("-k", "--min-neighbors", help="A row with fewer neighbours is an outlier.")
    ],
    radius: Annotated[
        float, typer.Option("-r", "--radius", help="How near a neighbour is; distances run from 0 to 1.")
    ],
    epsilon: Annotated[str, typer.Option("--epsilon", help="What to spend, taken as written: 0.2 or 1/3.")],
    columns: Annotated[
        str | None, typer.Option("--columns", help="Names with commas between them; default: all columns.")
    ] = None,
    delta: Annotated[str, typer.Option("--delta", help="What to spend beside epsilon; 0 is pure.")] = "0",
    mechanism: Annotated[str, typer.Option("--mechanism", help="The noise; auto chooses by public facts.")] = "auto",
    as_json: AsJson = False,
) -> None:
    """Count the outliers, with noise that protects every row. Spends epsilon."""
    from eremite.cli.count import run

    typer.echo(
        run(
            description,
            min_neighbors=min_neighbors,
            radius=radius,
            columns=columns,
            epsilon=epsilon,
            delta=delta,
            mechanism=mechanism,
            as_json=as_json,
        )
    )


@app.command()
def demo(
    folder: Annotated[Path, typer.Option("--folder", help="Where to write the example.")] = Path("demo"),
) -> None:
    """Show what eremite does, on a generated table."""
    from eremite.demo import run

    run(folder)
