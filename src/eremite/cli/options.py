"""Options that several commands share."""

import re
from pathlib import Path
from typing import Annotated

import typer

from eremite.cli.completions import (
    ENGINES,
    MECHANISMS,
    ROW_SHAPES,
    SEARCH_SHAPES,
    SELECTIONS,
    SHAPES,
    UTILITIES,
    described_categories,
    described_columns,
    description_files,
    one_of,
)
from eremite.errors import InputError

#: What a path makes of an address: two slashes become one.
_ADDRESS = re.compile(r"(?i)[a-z][a-z0-9+.-]+:/")


def local_file(path: Path | None) -> Path | None:
    """Refuse an address, before anything is charged. It is not repeated: it may hold a password."""
    if path is not None and _ADDRESS.match(str(path)):
        raise InputError(
            "eremite reads and writes files of this machine alone, and was given an address, such as https://...; "
            "download the file, and give its path."
        )
    return path


def local_files(paths: list[Path]) -> list[Path]:
    """Refuse addresses among the paths."""
    for path in paths:
        local_file(path)
    return paths


def _picture_file(path: Path | None) -> Path | None:
    """Check the file's name, and that matplotlib is installed, before anything is charged."""
    if local_file(path) is None or path is None:
        return None
    from eremite.plots import checked_file

    return checked_file(path)


PlotFile = Annotated[
    Path | None,
    typer.Option(
        "--plot",
        callback=_picture_file,
        help="Also write a picture to this .svg, .png or .pdf file. Needs eremite[plots].",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
DescriptionFile = Annotated[
    Path,
    typer.Argument(help="The description file (.toml).", callback=local_file, autocompletion=description_files),
]
MinNeighbors = Annotated[int, typer.Option("-k", "--min-neighbors", help="A row with fewer neighbors is an outlier.")]
Radius = Annotated[
    float, typer.Option("-r", "--radius", help="Rows within this distance are neighbors; distances run from 0 to 1.")
]
GroupColumns = Annotated[
    str | None,
    typer.Option(
        "--by",
        metavar="<str>",
        help="One count for each declared value of this column with categories; several separated by commas.",
        autocompletion=described_columns,
    ),
]
Epsilon = Annotated[str, typer.Option("--epsilon", help="The epsilon to spend, read exactly as written: 0.2 or 1/3.")]
Epsilons = Annotated[str, typer.Option("--epsilon", help="One epsilon, or several separated by commas.")]
Delta = Annotated[str, typer.Option("--delta", help="The delta to spend; 0 for pure differential privacy.")]
TopSets = Annotated[int, typer.Option("--top", help="How many sets of columns to name (h).")]
Size = Annotated[int | None, typer.Option("--size", help="Search all sets of this many columns.")]
MaxSize = Annotated[int | None, typer.Option("--max-size", help="Search all sets of at most this many columns.")]
ListedSets = Annotated[
    list[str] | None,
    typer.Option(
        "--subspace",
        metavar="<str>",
        help="Search this set: column names separated by commas, in quotes if one has blanks. Repeat for each set.",
        autocompletion=described_columns,
    ),
]
ShowProgress = Annotated[
    bool,
    typer.Option(
        "--progress",
        help="Show how far it is, on a terminal. For the custodian only: the pace depends on private rows.",
    ),
]
LedgerPlace = Annotated[
    str | None,
    typer.Option(
        "--ledger", help="The ledger: a file or postgresql://...; default: a .db file beside the description."
    ),
]
EngineName = Annotated[
    str | None,
    typer.Option(
        "--engine",
        help="Where the table is counted: memory, files or spark; default: as described, or by the size of the file.",
        autocompletion=one_of(ENGINES),
    ),
]
SparkMaster = Annotated[
    str | None, typer.Option("--master", help="The Spark cluster, such as local[2], with --engine spark.")
]
MaxLowRows = Annotated[
    int | None,
    typer.Option(
        "--max-low-rows",
        help="For how many rows with few neighbors this machine must have room, with files or Spark.",
    ),
]
AccountName = Annotated[str, typer.Option("--account", help="The account to charge; the dataset is charged as well.")]
RequestId = Annotated[
    str | None,
    typer.Option(
        "--request-id",
        help="A name for this request; the same request under the same name gives the same answer, for free.",
    ),
]
MadeUpRows = Annotated[
    int | None, typer.Option("--rows", help="How many rows to make up if the description names no stand_in.")
]
MadeUpShape = Annotated[
    str,
    typer.Option(
        "--shape",
        help="Shape of made-up rows: cautious (the hardest of several), clusters, normal or uniform.",
        autocompletion=one_of(SHAPES),
    ),
]
MadeUpRowShape = Annotated[
    str,
    typer.Option(
        "--shape", help="Shape of made-up rows: clusters, normal or uniform.", autocompletion=one_of(ROW_SHAPES)
    ),
]
SearchedShape = Annotated[
    str,
    typer.Option(
        "--shape",
        help="Shape of made-up rows: cautious (counts that are close to each other), planted (outliers in as many sets "
        "as --top says), clusters, normal or uniform.",
        autocompletion=one_of(SEARCH_SHAPES),
    ),
]
UtilityName = Annotated[
    str,
    typer.Option(
        "--utility",
        help="How sets are scored: compared, centered, dampened or paper; auto chooses from public facts.",
        autocompletion=one_of(UTILITIES),
    ),
]
SelectionName = Annotated[
    str,
    typer.Option(
        "--selection",
        help="How sets are drawn: permute-and-flip or exponential.",
        autocompletion=one_of(SELECTIONS),
    ),
]
Columns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        help="Column names separated by commas, in quotes if a name has blanks; default: all columns.",
        autocompletion=described_columns,
    ),
]
Within = Annotated[
    str | None,
    typer.Option(
        "--within",
        help="Columns with categories, separated by commas: only rows that agree on them are neighbors.",
        autocompletion=described_categories,
    ),
]
#: The same in forecasts, of which one has --within for how far off a count may be.
Strata = Annotated[
    str | None,
    typer.Option(
        "--strata",
        help="Columns with categories, separated by commas, as the question has them in its --within.",
        autocompletion=described_categories,
    ),
]
#: What `eremite detect` and `eremite explain` say about their file.
POINTS = (
    "A file of public points, one per row, in the units of the table and written as its files are, with at least the "
    "chosen columns and those of --within."
)
NoiseName = Annotated[
    str,
    typer.Option(
        "--mechanism", help="The noise mechanism; auto chooses from public facts.", autocompletion=one_of(MECHANISMS)
    ),
]
Reach = Annotated[
    int | None,
    typer.Option(
        "--reach",
        help="How many rows one place may change the count by: with less there is less noise, and more outliers that "
        "crowd are left out. Chosen from public facts if not given.",
    ),
]
Confidence = Annotated[
    str | None,
    typer.Option(
        "--confidence",
        help="How often the interval of the answer holds the true count, from 0.5 to 0.999; 0.95 if not given. Counts "
        "by reach have an interval; those by reach-pair have both ends.",
    ),
]
RowsToo = Annotated[
    bool,
    typer.Option(
        "--rows",
        help="Tell too how many rows take part, nearly for free: where rows come and go, in counts from both sides.",
    ),
]
#: Default of --tokens.
TOKENS = Path("tokens.json")
TokenFile = Annotated[Path, typer.Option("--tokens", callback=local_file, help="The file that holds the tokens.")]
