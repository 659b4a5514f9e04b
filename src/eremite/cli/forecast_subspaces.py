"""`eremite forecast subspaces`: how likely the right sets of columns are named. Opens no private table."""

import json
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from eremite.cli.asked import MadeUp, Question, Sets
from eremite.cli.forecast import public_rows_or
from eremite.cli.forecast_panel import forecast_panel
from eremite.cli.terminal import framed, working
from eremite.cli.told import Told
from eremite.forecast import (
    SearchAsked,
    SearchShape,
    StandIn,
    SubspacesForecast,
    epsilon_for_subspaces,
    family_among,
    forecast_subspaces,
    made_up_for_search,
)
from eremite.forecast.to_json import to_json
from eremite.names import list_names
from eremite.privacy import shown
from eremite.table import Description, read_description

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def run(
    question: Question, sets: Sets, made_up: MadeUp, as_json: bool, *, top: int, epsilons: str, probability: str | None,
    **how: Any,
) -> Told:  # fmt: skip
    """Forecast searches for some epsilons; with `probability`, for the epsilon that is needed."""
    definition, description = question.definition(), read_description(question.description)
    family = family_among(list(description.bounds), *sets.typed())
    asked = SearchAsked(definition, family, top, **how)
    with working("Forecasting") as say:

        def progress(number: int) -> None:
            say(f"Forecasting: {number:,} of {family.count:,} sets of columns looked at")

        stand_in = _stand_in(description, made_up, asked)
        needed = None if probability is None else epsilon_for_subspaces(stand_in, asked, probability, progress)
        listed: list[object] = list(epsilons.split(","))
        wanted = listed if needed is None else [needed]
        forecast = forecast_subspaces(stand_in, asked, wanted, progress)

    def draw() -> "Figure":
        """The epsilon that is needed lies among others."""
        around = forecast if needed is None else forecast_subspaces(stand_in, asked, [*listed, needed])
        return around.plot(probability)

    facts = to_json(forecast) | {"epsilon_needed": to_json(needed)}
    return Told(json.dumps(facts) if as_json else framed(_panel(forecast, needed, probability)), draw)


def _stand_in(description: Description, wanted: MadeUp, asked: SearchAsked) -> StandIn:
    bounds, m, shape = description.bounds, description.dataset.rows_per_person, cast(SearchShape, wanted.shape)
    return public_rows_or(
        description, wanted.rows, lambda n: made_up_for_search(asked.family, asked.h, bounds, n, m, shape)
    )


def _panel(forecast: SubspacesForecast, needed: Fraction | None, probability: str | None) -> Panel:
    right = "the right set" if forecast.h == 1 else f"the right {forecast.h} sets"
    lines = [f"on {forecast.stand_in}", f"searched: {forecast.family}"]
    if needed is not None:
        lines = [f"epsilon {shown(needed)} names {right} with probability {probability}", *lines]
    told = Text(
        f"Simulated: a chance may be off by {100 * forecast.sampling_error:.0f} percentage points. A private table "
        "that is not like these rows has other chances. Nothing was spent."
    )
    return forecast_panel(lines, _best(forecast), _grid(forecast), told)


def _best(forecast: SubspacesForecast) -> Text:
    """What there is to find."""
    most = "; ".join(f"{outliers:,} in {list_names(columns)}" for columns, outliers in forecast.best)
    if forecast.runner_up is not None:
        most += f"; {f'{forecast.runner_up:,} at most' if forecast.runner_up else 'none'} in any other set"
    return Text(f"outliers: {most}")


def _grid(forecast: SubspacesForecast) -> Grid:
    several = forecast.h > 1
    heads = ["first set right", f"all {forecast.h} right", "share right"] if several else ["set right"]
    grid = Grid("epsilon", "draws", *heads, "outliers missed", box=None, padding=(0, 3, 0, 0))
    for chance in forecast.chances:
        chances = [chance.found, chance.all_found, chance.share] if several else [chance.found]
        cells = [f"{chance.utility}, {chance.selection}", *(f"{100 * each:.0f} %" for each in chances)]
        grid.add_row(shown(chance.epsilon), *cells, f"{chance.missed:,.1f}")
    return grid
