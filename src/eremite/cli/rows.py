"""`eremite rows`: how many rows there are, where that is private."""

from typing import Annotated

import typer

from eremite.cli.completions import described_columns
from eremite.cli.options import (
    AccountName,
    AsJson,
    DescriptionFile,
    EngineName,
    Epsilon,
    LedgerPlace,
    MaxLowRows,
    PlotFile,
    RequestId,
    SparkMaster,
)
from eremite.cli.output import print_answer, render
from eremite.cli.parsing import parse_columns
from eremite.cli.question import Asker, Counting, ask


def rows(
    description: DescriptionFile,
    epsilon: Epsilon,
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns",
            help="Count the rows that take part in questions about these columns, separated by commas; default: all "
            "rows.",
            autocompletion=described_columns,
        ),
    ] = None,
    engine: EngineName = None,
    master: SparkMaster = None,
    max_low_rows: MaxLowRows = None,
    ledger: LedgerPlace = None,
    account: AccountName = "analyst",
    request_id: RequestId = None,
    plot: PlotFile = None,
    as_json: AsJson = False,
) -> None:
    """Count the rows, with noise, where their number is private. Spends epsilon."""
    from eremite import RowsQuery
    from eremite.cli.panels import release_panel

    query = RowsQuery(columns=parse_columns(columns), epsilon=epsilon)
    asker = Asker(description, ledger, account, request_id, Counting(engine, master, max_low_rows))
    session, release = ask(query, asker, "Counting")
    print_answer(release.to_json() if as_json else render(release_panel(release, session)), release.plot, plot)
