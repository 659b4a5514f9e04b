"""The commands that spend: `eremite count`, `subspaces`, `report`, `detect` and `choose-radius`.

Epsilon and delta stay texts, so that 0.2 is 1/5 and not the float nearest to it.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eremite.cli.options import (
    POINTS,
    AccountName,
    AsJson,
    Columns,
    Confidence,
    Delta,
    DescriptionFile,
    EngineName,
    Epsilon,
    GroupColumns,
    LedgerPlace,
    ListedSets,
    MadeUpRows,
    MadeUpRowShape,
    MaxLowRows,
    MaxSize,
    MinNeighbors,
    NoiseName,
    PlotFile,
    Radius,
    Reach,
    RequestId,
    RowsToo,
    SelectionName,
    ShowProgress,
    Size,
    SparkMaster,
    TopSets,
    UtilityName,
    Within,
    local_file,
)
from eremite.cli.output import dump_json, print_answer, render, spinner
from eremite.cli.parsing import (
    parse_by,
    parse_columns,
    parse_radii,
    parse_strata,
    parse_subspaces,
    require_plain,
)
from eremite.cli.question import Asker, Counting, ask
from eremite.errors import InputError

if TYPE_CHECKING:
    from eremite import ForecastRadiusQuery, ReportQuery, SubspacesQuery


def count(
    description: DescriptionFile,
    min_neighbors: MinNeighbors,
    radius: Radius,
    epsilon: Epsilon,
    columns: Columns = None,
    by: GroupColumns = None,
    within: Within = None,
    delta: Delta = "0",
    mechanism: NoiseName = "auto",
    reach: Reach = None,
    confidence: Confidence = None,
    rows: RowsToo = False,
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
    """Count the outliers, with noise that protects every row. Spends epsilon."""
    from eremite import CountByQuery, CountQuery, OutlierDefinition
    from eremite.cli.panels import release_panel

    definition = OutlierDefinition(min_neighbors=min_neighbors, radius=radius, within=parse_strata(within))
    names, groups = parse_columns(columns), parse_by(by)
    query: CountQuery | CountByQuery
    if groups is None:
        noise: dict[str, Any] = {"delta": delta, "mechanism": mechanism, "reach": reach, "confidence": confidence}
        query = CountQuery(definition=definition, columns=names, epsilon=epsilon, rows=rows or None, **noise)
    else:
        if rows:
            raise InputError("--rows is for a count without --by; ask it apart, or eremite rows.")
        require_plain(delta, mechanism)
        query = CountByQuery(
            definition=definition, by=groups, columns=names, epsilon=epsilon, reach=reach, confidence=confidence
        )
    steps = "of its steps done" if groups is None else "groups counted"
    asker = Asker(description, ledger, account, request_id, Counting(engine, master, max_low_rows))
    session, release = ask(query, asker, "Counting", steps if progress else None)
    print_answer(release.to_json() if as_json else render(release_panel(release, session)), release.plot, plot)


def subspaces(
    description: DescriptionFile,
    min_neighbors: MinNeighbors,
    radius: Radius,
    top: TopSets,
    epsilon: Epsilon,
    size: Size = None,
    max_size: MaxSize = None,
    subspace: ListedSets = None,
    within: Within = None,
    delta: Delta = "0",
    utility: UtilityName = "auto",
    selection: SelectionName = "permute-and-flip",
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
    """Name the sets of columns with the most outliers. Spends epsilon. Give one of --size, --max-size, --subspace."""
    from eremite import OutlierDefinition, SubspacesQuery

    drawing: dict[str, Any] = {"utility": utility, "selection": selection}
    query = SubspacesQuery(
        **parse_subspaces(size, max_size, subspace),
        definition=OutlierDefinition(min_neighbors=min_neighbors, radius=radius, within=parse_strata(within)),
        h=top,
        epsilon=epsilon,
        delta=delta,
        **drawing,
    )
    asker = Asker(description, ledger, account, request_id, Counting(engine, master, max_low_rows))
    _print_search(query, asker, progress, plot, as_json)


def report(
    description: DescriptionFile,
    min_neighbors: MinNeighbors,
    radius: Radius,
    top: TopSets,
    epsilon: Epsilon,
    size: Size = None,
    max_size: MaxSize = None,
    subspace: ListedSets = None,
    within: Within = None,
    delta: Delta = "0",
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
    """Name the sets with the most outliers, with noisy counts. Spends epsilon once for both.

    Give one of --size, --max-size, --subspace.
    """
    from eremite import OutlierDefinition, ReportQuery

    query = ReportQuery(
        **parse_subspaces(size, max_size, subspace),
        definition=OutlierDefinition(min_neighbors=min_neighbors, radius=radius, within=parse_strata(within)),
        h=top,
        epsilon=epsilon,
        delta=delta,
    )
    asker = Asker(description, ledger, account, request_id, Counting(engine, master, max_low_rows))
    _print_search(query, asker, progress, plot, as_json)


def detect(
    description: DescriptionFile,
    min_neighbors: MinNeighbors,
    radius: Radius,
    top: Annotated[int, typer.Option("--top", help="How many candidates to name (h).")],
    epsilon: Epsilon,
    candidates: Annotated[Path | None, typer.Argument(help=POINTS, callback=local_file)] = None,
    rows: Annotated[
        bool, typer.Option("--rows", help="Draw among the table's own rows instead: close to a random pick.")
    ] = False,
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
    """Name the candidates with the fewest rows near them. Spends epsilon.

    The text numbers candidates from 1; the JSON holds their positions, from 0.
    """
    from eremite import DetectQuery, OutlierDefinition
    from eremite.cli.candidates import chosen_columns, read_points
    from eremite.cli.panels import release_panel
    from eremite.table import read_description

    if rows == (candidates is not None):
        raise InputError("Give a file of candidates, or --rows for the rows of the table itself, and not both.")
    definition = OutlierDefinition(min_neighbors=min_neighbors, radius=radius, within=parse_strata(within))
    described = read_description(description)
    names = chosen_columns(described, parse_columns(columns), definition.within)
    points = None if candidates is None else read_points(candidates, names, definition.within, described)
    given = None if points is None else points.cells
    query = DetectQuery(definition=definition, candidates=given, h=top, columns=names, epsilon=epsilon)
    counted = "points looked at" if progress else None
    asker = Asker(description, ledger, account, request_id, Counting(engine, master, max_low_rows))
    session, release = ask(query, asker, "Searching", counted)
    print_answer(release.to_json() if as_json else render(release_panel(release, session, points)), release.plot, plot)


def choose_radius(
    description: DescriptionFile,
    min_neighbors: MinNeighbors,
    share: Annotated[str, typer.Option("--share", help="The share of rows that shall be outliers: 0.01 or 1/100.")],
    columns: Columns = None,
    within: Within = None,
    radii: Annotated[
        str | None, typer.Option("--radii", help="Public radii separated by commas; default: 0.001 to 0.4.")
    ] = None,
    epsilon: Annotated[str | None, typer.Option("--epsilon", help="Ask the table, and spend this epsilon.")] = None,
    from_stand_in: Annotated[
        bool, typer.Option("--from-stand-in", help="Ask public or made-up rows instead, for free.")
    ] = False,
    rows: MadeUpRows = None,
    shape: MadeUpRowShape = "clusters",
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
    """Choose the radius that gives a wanted share of outliers. Spends epsilon, or asks a stand-in for free."""
    from eremite import ForecastRadiusQuery, RadiusQuery
    from eremite.cli.panels import release_panel

    if (epsilon is None) != from_stand_in:
        raise InputError("Give --epsilon to ask the table privately, or --from-stand-in to ask public rows for free.")
    if from_stand_in and plot is not None:
        raise InputError("--plot draws a release, and --from-stand-in makes none; leave one of them out.")
    fields: dict[str, Any] = {"columns": parse_columns(columns), "radii": parse_radii(radii)}
    fields |= {"min_neighbors": min_neighbors, "share": share, "within": parse_strata(within) or None}
    if epsilon is None:
        _print_radius_of_stand_in(ForecastRadiusQuery(**fields | {"shape": shape}), description, rows, as_json)
        return
    query = RadiusQuery(**fields, epsilon=epsilon)
    counted = "looks taken" if progress else None
    asker = Asker(description, ledger, account, request_id, Counting(engine, master, max_low_rows))
    session, release = ask(query, asker, "Counting", counted)
    print_answer(release.to_json() if as_json else render(release_panel(release, session)), release.plot, plot)


def _print_search(
    query: "SubspacesQuery | ReportQuery", asker: Asker, progress: bool, plot: Path | None, as_json: bool
) -> None:
    from eremite.cli.panels import release_panel

    counted = "sets of columns counted" if progress else None
    session, release = ask(query, asker, "Searching", counted)
    print_answer(release.to_json() if as_json else render(release_panel(release, session)), release.plot, plot)


def _print_radius_of_stand_in(query: "ForecastRadiusQuery", description: Path, rows: int | None, as_json: bool) -> None:
    from eremite.session import open_forecasts

    with spinner("Counting"):
        found = open_forecasts(description, rows).forecast(query)
    radius = found.definition.radius
    facts = found.definition.to_json() | {
        "stand_in": found.stand_in,
        "rows": found.rows,
        "outliers": found.outliers,
    }
    words = (
        f"radius {radius!r}: {found.outliers:,} outliers on {found.stand_in}. "
        "A private table that is not like these rows has another number of them. Nothing was spent."
    )
    typer.echo(dump_json(facts) if as_json else words)
