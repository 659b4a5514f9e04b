"""The commands of `eremite forecast` and their options."""

from typing import Annotated

import typer

from eremite.cli.asked import MadeUp, Question, Sets
from eremite.cli.options import (
    AsJson,
    Columns,
    Delta,
    DescriptionFile,
    Epsilons,
    ListedSets,
    MadeUpRows,
    MadeUpShape,
    MaxSize,
    MinNeighbors,
    NoiseName,
    PlotFile,
    Radius,
    SearchedShape,
    SelectionName,
    Size,
    TopSets,
    UtilityName,
)
from eremite.cli.shown_by_default import CountedByDefault
from eremite.cli.told import tell

forecast = typer.Typer(
    cls=CountedByDefault,
    help="Tell what to expect of a count or of a search. From public or made-up rows; spends nothing.",
    rich_markup_mode=None,
)


@forecast.command("count")
def forecast_count(
    description: DescriptionFile,
    min_neighbors: MinNeighbors,
    radius: Radius,
    columns: Columns = None,
    epsilon: Epsilons = "0.1,0.2,0.5,1,2",
    delta: Delta = "0",
    mechanism: NoiseName = "auto",
    within: Annotated[
        str | None, typer.Option("--within", help="Which epsilon keeps 95 % of the counts within so many rows?")
    ] = None,
    rows: MadeUpRows = None,
    shape: MadeUpShape = "clusters",
    plot: PlotFile = None,
    as_json: AsJson = False,
) -> None:
    """Tell the error to expect of a count. `eremite forecast DESCRIPTION` for short; opens no private table."""
    from eremite.cli.forecast import run

    question, made_up = Question(description, min_neighbors, radius, columns), MadeUp(rows, shape)
    tell(run(question, made_up, as_json, epsilons=epsilon, delta=delta, mechanism=mechanism, within=within), plot)


@forecast.command("subspaces")
def forecast_subspaces(
    description: DescriptionFile,
    min_neighbors: MinNeighbors,
    radius: Radius,
    top: TopSets,
    size: Size = None,
    max_size: MaxSize = None,
    subspace: ListedSets = None,
    epsilon: Epsilons = "0.1,0.2,0.5,1,2",
    delta: Delta = "0",
    utility: UtilityName = "auto",
    selection: SelectionName = "permute-and-flip",
    probability: Annotated[
        str | None, typer.Option("--probability", help="Which epsilon names the right sets with this probability?")
    ] = None,
    rows: MadeUpRows = None,
    shape: SearchedShape = "planted",
    plot: PlotFile = None,
    as_json: AsJson = False,
) -> None:
    """Tell how likely a search names the right sets of columns. Give one of --size, --max-size, --subspace."""
    from eremite.cli.forecast_subspaces import run

    question, sets = Question(description, min_neighbors, radius), Sets(size, max_size, subspace)
    told = run(
        question, sets, MadeUp(rows, shape), as_json, top=top, epsilons=epsilon, probability=probability,
        delta=delta, utility=utility, selection=selection,
    )  # fmt: skip
    tell(told, plot)


@forecast.command("mechanisms")
def forecast_mechanisms(
    description: DescriptionFile,
    min_neighbors: MinNeighbors,
    radius: Radius,
    columns: Columns = None,
    epsilon: Epsilons = "0.1,0.2,0.5,1,2",
    delta: Delta = "0",
    rows: MadeUpRows = None,
    shape: MadeUpShape = "clusters",
    plot: PlotFile = None,
    as_json: AsJson = False,
) -> None:
    """Tell the error to expect of a count with each mechanism. Some need a delta; opens no private table."""
    from eremite.cli.forecast_mechanisms import run

    question, made_up = Question(description, min_neighbors, radius, columns), MadeUp(rows, shape)
    tell(run(question, made_up, as_json, epsilons=epsilon, delta=delta), plot)
