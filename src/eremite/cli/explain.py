"""`eremite explain`: in which columns public points stand alone."""

from pathlib import Path
from typing import Annotated, Any

import typer

from eremite.cli.options import (
    POINTS,
    AccountName,
    AsJson,
    Columns,
    DescriptionFile,
    EngineName,
    Epsilon,
    LedgerPlace,
    MaxLowRows,
    MinNeighbors,
    PlotFile,
    Radius,
    RequestId,
    ShowProgress,
    SparkMaster,
    Within,
    local_file,
)
from eremite.cli.output import print_answer, render
from eremite.cli.parsing import parse_columns, parse_strata
from eremite.cli.question import Asker, Counting, ask


def explain(
    description: DescriptionFile,
    points: Annotated[Path, typer.Argument(help=POINTS, callback=local_file)],
    min_neighbors: MinNeighbors,
    radius: Radius,
    top: Annotated[int, typer.Option("--top", help="How many sets of columns to name for each point (h).")],
    max_size: Annotated[int, typer.Option("--max-size", help="Search all sets of at most this many columns.")],
    epsilon: Epsilon,
    columns: Columns = None,
    within: Within = None,
    progress: ShowProgress = False,
    engine: EngineName = None,
    master: SparkMaster = None,
    max_low_rows: MaxLowRows = None,
    ledger: LedgerPlace = None,
    account: AccountName = "analyst",
    request_id: RequestId = None,
    plot: PlotFile = None,
    as_json: AsJson = False,
) -> None:
    """Name the columns in which each point stands most alone. Spends epsilon once, shared by all points.

    The text numbers points from 1; the JSON has the sets of each point, in the order of the file.
    """
    from eremite import ExplainQuery, OutlierDefinition
    from eremite.cli.candidates import chosen_columns, read_points
    from eremite.cli.panels import release_panel
    from eremite.table import read_description

    definition = OutlierDefinition(min_neighbors=min_neighbors, radius=radius, within=parse_strata(within))
    described = read_description(description)
    names = chosen_columns(described, parse_columns(columns), definition.within)
    read = read_points(points, names, definition.within, described)
    fields: dict[str, Any] = {"h": top, "max_size": max_size, "columns": names, "epsilon": epsilon}
    query = ExplainQuery(definition=definition, point=read.cells, **fields)
    counted = "points looked at" if progress else None
    asker = Asker(description, ledger, account, request_id, Counting(engine, master, max_low_rows))
    session, release = ask(query, asker, "Counting", counted)
    print_answer(release.to_json() if as_json else render(release_panel(release, session, read)), release.plot, plot)
