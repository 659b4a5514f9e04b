"""`eremite forecast`: what to expect of a count or a search, from public or made-up rows. Opens no private table."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eremite.cli.groups import CountByDefault
from eremite.cli.options import (
    POINTS,
    AsJson,
    Columns,
    Confidence,
    Delta,
    DescriptionFile,
    Epsilons,
    GroupColumns,
    ListedSets,
    MadeUpRows,
    MadeUpShape,
    MaxSize,
    MinNeighbors,
    NoiseName,
    PlotFile,
    Radius,
    Reach,
    SearchedShape,
    SelectionName,
    Size,
    Strata,
    TopSets,
    UtilityName,
)
from eremite.cli.output import dump_json, print_answer, render, spinner
from eremite.cli.parsing import parse_by, parse_columns, parse_strata, parse_subspaces, require_plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.figure import Figure

    from eremite import EpsilonForDetectQuery, EpsilonForExplainQuery, ForecastDetectQuery, ForecastExplainQuery

Chance = Annotated[
    str | None, typer.Option("--probability", help="Find the epsilon that names the right ones with this probability.")
]

forecast_app = typer.Typer(
    cls=CountByDefault,
    help="Forecast how accurate an answer would be. Uses public or made-up rows; spends nothing.",
    rich_markup_mode=None,
)


@forecast_app.command("count")
def forecast_count(
    description: DescriptionFile,
    min_neighbors: MinNeighbors,
    radius: Radius,
    columns: Columns = None,
    by: GroupColumns = None,
    strata: Strata = None,
    epsilon: Epsilons = "0.1,0.2,0.5,1,2",
    delta: Delta = "0",
    mechanism: NoiseName = "auto",
    reach: Reach = None,
    confidence: Confidence = None,
    within: Annotated[
        str | None, typer.Option("--within", help="Find the epsilon that keeps 95 % of the counts within so many rows.")
    ] = None,
    rows: MadeUpRows = None,
    shape: MadeUpShape = "cautious",
    plot: PlotFile = None,
    as_json: AsJson = False,
) -> None:
    """Forecast the error of a count. `eremite forecast DESCRIPTION` for short; opens no private table."""
    from eremite import EpsilonForCountQuery, ForecastCountByQuery, ForecastCountQuery, OutlierDefinition
    from eremite.cli.forecast_panels import count_forecast_panel, groups_forecast_panel
    from eremite.forecast.to_json import to_json
    from eremite.session import open_forecasts

    fields: dict[str, Any] = {
        "definition": OutlierDefinition(
            min_neighbors=min_neighbors, radius=radius, within=parse_strata(strata, "--strata")
        ),
        "columns": parse_columns(columns),
        "delta": delta,
        "mechanism": mechanism,
        "reach": reach,
        "shape": shape,
    }
    groups = parse_by(by)
    if groups is not None:
        require_plain(delta, mechanism, within, plot)
        asked = {name: fields[name] for name in ("definition", "columns", "reach", "shape")}
        counts = ForecastCountByQuery(by=groups, epsilon=epsilon.split(","), confidence=confidence, **asked)
        with spinner("Forecasting") as say:
            expected = open_forecasts(description, rows).forecast(counts, progress=_counted(say, "groups"))
        typer.echo(dump_json(to_json(expected)) if as_json else render(groups_forecast_panel(expected)))
        return
    query = ForecastCountQuery(epsilon=epsilon.split(","), confidence=confidence, **fields)
    _require_accuracy(within)
    with spinner("Forecasting") as say:
        forecasts, needed, progress = open_forecasts(description, rows), None, _counted(say, "epsilons")
        if within is not None:
            needed = forecasts.forecast(EpsilonForCountQuery(within=within, **fields), progress=progress)
        forecast = forecasts.forecast(query if needed is None else replace(query, epsilon=[needed]), progress=progress)

    def draw() -> "Figure":
        """The needed epsilon among the listed ones."""
        if needed is None:
            return forecast.plot()
        return forecasts.forecast(replace(query, epsilon=[*epsilon.split(","), needed])).plot(within)

    facts = to_json(forecast) | {"epsilon_needed": to_json(needed)}
    print_answer(dump_json(facts) if as_json else render(count_forecast_panel(forecast, needed, within)), draw, plot)


@forecast_app.command("subspaces")
def forecast_subspaces(
    description: DescriptionFile,
    min_neighbors: MinNeighbors,
    radius: Radius,
    top: TopSets,
    size: Size = None,
    max_size: MaxSize = None,
    subspace: ListedSets = None,
    strata: Strata = None,
    epsilon: Epsilons = "0.1,0.2,0.5,1,2",
    delta: Delta = "0",
    utility: UtilityName = "auto",
    selection: SelectionName = "permute-and-flip",
    probability: Chance = None,
    rows: MadeUpRows = None,
    shape: SearchedShape = "cautious",
    plot: PlotFile = None,
    as_json: AsJson = False,
) -> None:
    """Forecast how likely a search names the right sets of columns. Give one of --size, --max-size, --subspace."""
    from eremite import EpsilonForSubspacesQuery, ForecastSubspacesQuery, OutlierDefinition
    from eremite.cli.forecast_panels import subspaces_forecast_panel
    from eremite.forecast.to_json import to_json
    from eremite.session import open_forecasts

    fields: dict[str, Any] = parse_subspaces(size, max_size, subspace) | {
        "definition": OutlierDefinition(
            min_neighbors=min_neighbors, radius=radius, within=parse_strata(strata, "--strata")
        ),
        "h": top,
        "delta": delta,
        "utility": utility,
        "selection": selection,
        "shape": shape,
    }
    query = ForecastSubspacesQuery(epsilon=epsilon.split(","), **fields)
    with spinner("Forecasting") as say:

        def progress(number: int) -> None:
            say(f"Forecasting: {number:,} of {total:,} sets of columns looked at")

        forecasts, needed = open_forecasts(description, rows), None
        total = query.family(forecasts.columns).count
        if probability is not None:
            needed = forecasts.forecast(EpsilonForSubspacesQuery(probability=probability, **fields), progress=progress)
        forecast = forecasts.forecast(query if needed is None else replace(query, epsilon=[needed]), progress=progress)

    def draw() -> "Figure":
        """The needed epsilon among the listed ones."""
        if needed is None:
            return forecast.plot(probability)
        return forecasts.forecast(replace(query, epsilon=[*epsilon.split(","), needed])).plot(probability)

    facts = to_json(forecast) | {"epsilon_needed": to_json(needed)}
    text = dump_json(facts) if as_json else render(subspaces_forecast_panel(forecast, needed, probability))
    print_answer(text, draw, plot)


@forecast_app.command("report")
def forecast_report(
    description: DescriptionFile,
    min_neighbors: MinNeighbors,
    radius: Radius,
    top: TopSets,
    size: Size = None,
    max_size: MaxSize = None,
    subspace: ListedSets = None,
    strata: Strata = None,
    epsilon: Epsilons = "0.1,0.2,0.5,1,2",
    delta: Delta = "0",
    probability: Chance = None,
    rows: MadeUpRows = None,
    shape: SearchedShape = "cautious",
    as_json: AsJson = False,
) -> None:
    """Forecast how likely a report is right, and its error. Give one of --size, --max-size, --subspace."""
    from eremite import EpsilonForReportQuery, ForecastReportQuery, OutlierDefinition
    from eremite.cli.forecast_panels import report_forecast_panel
    from eremite.forecast.to_json import to_json
    from eremite.session import open_forecasts

    definition = OutlierDefinition(min_neighbors=min_neighbors, radius=radius, within=parse_strata(strata, "--strata"))
    fields: dict[str, Any] = parse_subspaces(size, max_size, subspace)
    fields |= {"definition": definition, "h": top, "delta": delta, "shape": shape}
    query = ForecastReportQuery(epsilon=epsilon.split(","), **fields)
    with spinner("Forecasting") as say:
        forecasts, needed, progress = open_forecasts(description, rows), None, _counted(say, "sets of columns")
        if probability is not None:
            needed = forecasts.forecast(EpsilonForReportQuery(probability=probability, **fields), progress=progress)
        forecast = forecasts.forecast(query if needed is None else replace(query, epsilon=[needed]), progress=progress)
    facts = to_json(forecast) | {"epsilon_needed": to_json(needed)}
    typer.echo(dump_json(facts) if as_json else render(report_forecast_panel(forecast, needed, probability)))


@forecast_app.command("detect")
def forecast_detect(
    description: DescriptionFile,
    candidates: Annotated[Path, typer.Argument(help=POINTS)],
    min_neighbors: MinNeighbors,
    radius: Radius,
    top: Annotated[int, typer.Option("--top", help="How many candidates to name (h).")],
    columns: Columns = None,
    strata: Strata = None,
    epsilon: Epsilons = "0.1,0.2,0.5,1,2",
    probability: Chance = None,
    rows: MadeUpRows = None,
    as_json: AsJson = False,
) -> None:
    """Forecast how likely a detection names the right candidates."""
    from eremite import EpsilonForDetectQuery, ForecastDetectQuery, OutlierDefinition

    definition = OutlierDefinition(min_neighbors=min_neighbors, radius=radius, within=parse_strata(strata, "--strata"))
    names, cells = _points(description, candidates, columns, definition.within)
    fields: dict[str, Any] = {"definition": definition, "candidates": cells, "h": top, "columns": names}
    query = ForecastDetectQuery(epsilon=epsilon.split(","), **fields)
    inverse = None if probability is None else EpsilonForDetectQuery(probability=probability, **fields)
    _print_naming(query, inverse, probability, description, rows, as_json)


@forecast_app.command("explain")
def forecast_explain(
    description: DescriptionFile,
    points: Annotated[Path, typer.Argument(help=POINTS)],
    min_neighbors: MinNeighbors,
    radius: Radius,
    top: Annotated[int, typer.Option("--top", help="How many sets of columns to name for each point (h).")],
    max_size: Annotated[int, typer.Option("--max-size", help="Search all sets of at most this many columns.")],
    columns: Columns = None,
    strata: Strata = None,
    epsilon: Epsilons = "0.1,0.2,0.5,1,2",
    probability: Chance = None,
    rows: MadeUpRows = None,
    as_json: AsJson = False,
) -> None:
    """Forecast how likely an explanation names the right columns."""
    from eremite import EpsilonForExplainQuery, ForecastExplainQuery, OutlierDefinition

    definition = OutlierDefinition(min_neighbors=min_neighbors, radius=radius, within=parse_strata(strata, "--strata"))
    names, cells = _points(description, points, columns, definition.within)
    fields: dict[str, Any] = {"definition": definition, "point": cells, "h": top, "max_size": max_size}
    fields |= {"columns": names}
    query = ForecastExplainQuery(epsilon=epsilon.split(","), **fields)
    inverse = None if probability is None else EpsilonForExplainQuery(probability=probability, **fields)
    _print_naming(query, inverse, probability, description, rows, as_json)


@forecast_app.command("mechanisms")
def forecast_mechanisms(
    description: DescriptionFile,
    min_neighbors: MinNeighbors,
    radius: Radius,
    columns: Columns = None,
    strata: Strata = None,
    epsilon: Epsilons = "0.1,0.2,0.5,1,2",
    delta: Delta = "0",
    rows: MadeUpRows = None,
    shape: MadeUpShape = "cautious",
    plot: PlotFile = None,
    as_json: AsJson = False,
) -> None:
    """Forecast the error of a count with each mechanism. Some need a delta; opens no private table."""
    from eremite import CompareMechanismsQuery, OutlierDefinition
    from eremite.cli.forecast_panels import mechanisms_panel
    from eremite.forecast.to_json import to_json
    from eremite.session import open_forecasts

    fields: dict[str, Any] = {"epsilon": epsilon.split(","), "delta": delta, "shape": shape}
    definition = OutlierDefinition(min_neighbors=min_neighbors, radius=radius, within=parse_strata(strata, "--strata"))
    query = CompareMechanismsQuery(definition=definition, columns=parse_columns(columns), **fields)
    with spinner("Forecasting") as say:
        progress = _counted(say, "pairs of a mechanism and an epsilon")
        compared = open_forecasts(description, rows).forecast(query, progress=progress)
    print_answer(dump_json(to_json(compared)) if as_json else render(mechanisms_panel(compared)), compared.plot, plot)


@forecast_app.command("rows")
def forecast_rows(
    description: DescriptionFile,
    epsilon: Epsilons = "0.1,0.2,0.5,1,2",
    as_json: AsJson = False,
) -> None:
    """Forecast the error of a private number of rows. It depends on epsilon alone; opens no private table."""
    from eremite import ForecastRowsQuery
    from eremite.cli.forecast_panels import rows_forecast_panel
    from eremite.forecast import forecast_rows
    from eremite.forecast.to_json import to_json
    from eremite.table import read_description

    rows_per_person = read_description(description).dataset.rows_per_person
    forecast = forecast_rows(rows_per_person, ForecastRowsQuery(epsilon=epsilon.split(",")))
    typer.echo(dump_json(to_json(forecast)) if as_json else render(rows_forecast_panel(forecast)))


def _points(description: Path, points: Path, columns: str | None, within: "Sequence[str]") -> tuple[list[str], Any]:
    """The columns that count, and the public points of a file in them."""
    from eremite.cli.candidates import chosen_columns, read_points
    from eremite.table import read_description

    described = read_description(description)
    names = chosen_columns(described, parse_columns(columns), within)
    return names, read_points(points, names, within, described).cells


def _print_naming(
    query: "ForecastDetectQuery | ForecastExplainQuery",
    inverse: "EpsilonForDetectQuery | EpsilonForExplainQuery | None",
    probability: str | None,
    description: Path,
    rows: int | None,
    as_json: bool,
) -> None:
    """The chances of draws among points or sets; with a probability, of the epsilon that it needs."""
    from eremite.cli.forecast_panels import naming_forecast_panel
    from eremite.forecast.to_json import to_json
    from eremite.session import open_forecasts

    with spinner("Forecasting"):
        forecasts = open_forecasts(description, rows)
        needed = None if inverse is None else forecasts.forecast(inverse)
        forecast = forecasts.forecast(query if needed is None else replace(query, epsilon=[needed]))
    facts = to_json(forecast) | {"epsilon_needed": to_json(needed)}
    typer.echo(dump_json(facts) if as_json else render(naming_forecast_panel(forecast, needed, probability)))


def _counted(say: "Callable[[str], None]", things: str) -> "Callable[[int], None]":
    """Show how many of the things were forecast so far; no private row is looked at, so that is public."""
    return lambda number: say(f"Forecasting: {number:,} {things} done")


def _require_accuracy(within: str | None) -> None:
    """Refuse names of columns, which other commands take with this option, before a forecast is computed."""
    from eremite.errors import InputError
    from eremite.privacy import exact

    if within is not None:
        try:
            exact(within, "--within")
        except InputError:
            sentence = (
                "--within must be a number here, how far off a count may be; columns with categories go to --strata."
            )
            raise InputError(sentence) from None
