"""`eremite forecast [count]`: the error to expect of a count, and the epsilon it needs. Opens no private table."""

import json
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, cast

from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from eremite.cli.asked import MadeUp, Question
from eremite.cli.forecast_panel import OTHER_ERROR, forecast_panel
from eremite.cli.terminal import framed, working
from eremite.cli.told import Told
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
from eremite.forecast.to_json import to_json
from eremite.names import list_names
from eremite.privacy import shown
from eremite.table import Description, open_stand_in, read_description

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST_ROWS = 100_000_000  # so many fit in the memory of a large machine


def run(
    question: Question, made_up: MadeUp, as_json: bool, *, epsilons: str, delta: str, mechanism: str, within: str | None
) -> Told:
    """Forecast counts for some epsilons; with `within`, for the epsilon that is needed."""
    definition, names = question.definition(), question.names()
    with working("Forecasting"):
        stand_in = stand_in_of(read_description(question.description), made_up)
        needed = None if within is None else epsilon_for_count(stand_in, definition, names, within, delta, mechanism)
        listed: list[object] = list(epsilons.split(","))
        asked = listed if needed is None else [needed]
        forecast = forecast_count(stand_in, definition, names, asked, delta, mechanism)

    def draw() -> "Figure":
        """The epsilon that is needed lies among others."""
        if needed is None:
            return forecast.plot()
        return forecast_count(stand_in, definition, names, [*listed, needed], delta, mechanism).plot(within)

    facts = to_json(forecast) | {"epsilon_needed": to_json(needed)}
    return Told(json.dumps(facts) if as_json else framed(_panel(forecast, needed, within)), draw)


def stand_in_of(description: Description, wanted: MadeUp) -> StandIn:
    """Public rows if the description names some, else as many made-up ones as is said."""
    bounds, m, shape = description.bounds, description.dataset.rows_per_person, cast(Shape, wanted.shape)
    return public_rows_or(description, wanted.rows, lambda n: made_up(bounds, n, m, shape))


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
    lines = [f"on {forecast.stand_in}: {forecast.outliers:,} outliers in {list_names(forecast.columns)}"]
    if needed is not None:
        lines = [f"epsilon {shown(needed)} keeps 95 % of the counts within {within}", *lines]
    return forecast_panel(lines, grid, Text(OTHER_ERROR))
