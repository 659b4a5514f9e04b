"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from eremite.cli.completions import (
    MECHANISMS,
    SEARCH_SHAPES,
    SELECTIONS,
    SHAPES,
    UTILITIES,
    described_columns,
    description_files,
    one_of,
)


def _picture_file(path: Path | None) -> Path | None:
    """Checked when the command line is read, before anything is charged; matplotlib, too."""
    if path is None:
        return None
    from eremite.plots import checked_file

    return checked_file(path)


PlotFile = Annotated[
    Path | None,
    typer.Option(
        "--plot", callback=_picture_file, help="Write a picture, too: .svg, .png or .pdf. Needs eremite[plots]."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
DescriptionFile = Annotated[
    Path, typer.Argument(help="The description file (.toml).", autocompletion=description_files)
]
MinNeighbors = Annotated[int, typer.Option("-k", "--min-neighbors", help="A row with fewer neighbors is an outlier.")]
Radius = Annotated[float, typer.Option("-r", "--radius", help="How near a neighbor is; distances run from 0 to 1.")]
Epsilon = Annotated[str, typer.Option("--epsilon", help="What to spend, taken as written: 0.2 or 1/3.")]
Epsilons = Annotated[str, typer.Option("--epsilon", help="One or several, with commas between them.")]
Delta = Annotated[str, typer.Option("--delta", help="What to spend beside epsilon; 0 is pure.")]
TopSets = Annotated[int, typer.Option("--top", help="How many sets of columns to name (h).")]
Size = Annotated[int | None, typer.Option("--size", help="Search all sets of this many columns.")]
MaxSize = Annotated[int | None, typer.Option("--max-size", help="Search all sets of up to this many.")]
ListedSets = Annotated[
    list[str] | None,
    typer.Option(
        "--subspace",
        metavar="<str>",
        help="Search this set: names with commas between them. Once for each set.",
        autocompletion=described_columns,
    ),
]
ShowProgress = Annotated[
    bool,
    typer.Option("--progress", help="Show how far the search is; for the custodian, as its pace depends on the rows."),
]
LedgerPlace = Annotated[
    str | None,
    typer.Option(
        "--ledger", help="Where the budget is kept: a file or postgresql://...; default: beside the description, .db."
    ),
]
AccountName = Annotated[str, typer.Option("--account", help="Whose budget to spend, beside the dataset's own.")]
RequestId = Annotated[
    str | None,
    typer.Option(
        "--request-id", help="A name for this request: asked again under it, the same answer comes, for free."
    ),
]
MadeUpRows = Annotated[
    int | None, typer.Option("--rows", help="How many rows to make up, where the description has no stand_in.")
]
MadeUpShape = Annotated[
    str,
    typer.Option("--shape", help="Of made-up rows: clusters, normal or uniform.", autocompletion=one_of(SHAPES)),
]
SearchedShape = Annotated[
    str,
    typer.Option(
        "--shape",
        help="Of made-up rows: planted (outliers in as many sets as are named), clusters, normal or uniform.",
        autocompletion=one_of(SEARCH_SHAPES),
    ),
]
UtilityName = Annotated[
    str,
    typer.Option(
        "--utility",
        help="How sets are scored: centered, dampened or paper; auto chooses by public facts.",
        autocompletion=one_of(UTILITIES),
    ),
]
SelectionName = Annotated[
    str,
    typer.Option(
        "--selection",
        help="How one is drawn: permute-and-flip or exponential.",
        autocompletion=one_of(SELECTIONS),
    ),
]
Columns = Annotated[
    str | None,
    typer.Option(
        "--columns", help="Names with commas between them; default: all columns.", autocompletion=described_columns
    ),
]
NoiseName = Annotated[
    str,
    typer.Option("--mechanism", help="The noise; auto chooses by public facts.", autocompletion=one_of(MECHANISMS)),
]
#: Where tokens are kept unless told otherwise.
TOKENS = Path("tokens.json")
TokenFile = Annotated[Path, typer.Option("--tokens", help="The file with the tokens.")]
