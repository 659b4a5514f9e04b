"""`eremite forecast [count]`: the error to expect of a count, and the epsilon it needs. Opens no private table."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Group
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from eremite import OutlierDefinition
from eremite.cli.names import enumerated
from eremite.cli.terminal import framed, working
from eremite.cli.told import Told
from eremite.cli.typed_names import typed_names
from eremite.errors import InputError
from eremite.forecast import (
    CountForecast,
    Shape,
    StandIn,
    epsilon_for_count,
    forecast_count,
    made_up,
    public_rows,
)
from eremite.forecast.plain import plain
from eremite.privacy import shown
from eremite.table import Description, open_stand_in, read_description

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST_ROWS = 100_000_000  # so many fit in the memory of a large machine


def run(
    path: Path,
    definition: OutlierDefinition,
    *,
    columns: str | None,
    epsilons: str,
    delta: str,
    mechanism: str,
    within: str | None,
    rows: int | None,
    shape: Shape,
    as_json: bool,
) -> Told:
    """Forecast counts for some epsilons; with `within`, for the epsilon that is needed."""
    names = None if columns is None else typed_names(columns, "--columns")
    with working("Forecasting"):
        stand_in = stand_in_of(read_description(path), rows, shape)
        needed = None if within is None else epsilon_for_count(stand_in, definition, names, within, delta, mechanism)
        listed: list[object] = list(epsilons.split(","))
        asked = listed if needed is None else [needed]
        forecast = forecast_count(stand_in, definition, names, asked, delta, mechanism)

    def draw() -> "Figure":
        """The epsilon that is needed lies among others."""
        if needed is None:
            return forecast.plot()
        return forecast_count(stand_in, definition, names, [*listed, needed], delta, mechanism).plot(within)

    facts = plain(forecast) | {"epsilon_needed": plain(needed)}
    return Told(json.dumps(facts) if as_json else framed(_panel(forecast, needed, within)), draw)


def stand_in_of(description: Description, rows: int | None, shape: Shape) -> StandIn:
    """Public rows if the description names some, else as many made-up ones as is said."""
    m = description.dataset.rows_per_person
    return public_rows_or(description, rows, lambda n: made_up(description.bounds, n, m, shape))


def public_rows_or(description: Description, rows: int | None, make: Callable[[int], StandIn]) -> StandIn:
    """The same, with the rows made up in some way."""
    table = open_stand_in(description)
    if table is not None:
        return public_rows(table)
    if rows is None:
        raise InputError(
            f"{description.path} names no stand_in, so rows are made up: give --rows, how many the table has (public)."
        )
    if not 1 <= rows <= _MOST_ROWS:
        raise InputError(f"--rows must be a whole number from 1 to {_MOST_ROWS:,}.")
    return make(rows)


def _panel(forecast: CountForecast, needed: Fraction | None, within: str | None) -> Panel:
    grid = Grid("epsilon", "noise", "half of the counts off by", "95 % off by at most", box=None, padding=(0, 3, 0, 0))
    for error in forecast.errors:
        grid.add_row(shown(error.epsilon), error.mechanism, f"{error.median:,.0f}", f"{error.most:,.0f}")
    lines = [f"on {forecast.stand_in}: {forecast.outliers:,} outliers in {enumerated(forecast.columns)}"]
    if needed is not None:
        lines = [f"epsilon {shown(needed)} keeps 95 % of the counts within {within}", *lines]
    told = Text("A private table that is not like these rows has another error. Nothing was spent.")
    return Panel(
        Group(Text("\n".join(lines), style="bold"), Text(), grid, Text(), told),
        title="forecast",
        title_align="left",
        padding=(1, 2),
    )
