"""`eremite forecast mechanisms`: the error to expect of a count with each mechanism. Opens no private table."""

import json

from rich.console import Group
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from eremite.cli.asked import MadeUp, Question
from eremite.cli.forecast import stand_in_of
from eremite.cli.forecast_panel import OTHER_ERROR, forecast_panel
from eremite.cli.terminal import framed, working
from eremite.cli.told import Told
from eremite.forecast import MechanismComparison, compare_mechanisms
from eremite.forecast.to_json import to_json
from eremite.names import list_names
from eremite.privacy import shown
from eremite.table import read_description


def run(question: Question, made_up: MadeUp, as_json: bool, *, epsilons: str, delta: str) -> Told:
    """Forecast counts with every mechanism for some epsilons."""
    definition, names = question.definition(), question.names()
    with working("Forecasting"):
        stand_in = stand_in_of(read_description(question.description), made_up)
        compared = compare_mechanisms(stand_in, definition, names, epsilons.split(","), delta)
    return Told(json.dumps(to_json(compared)) if as_json else framed(_panel(compared)), compared.plot)


def _panel(compared: MechanismComparison) -> Panel:
    epsilons = list(dict.fromkeys(error.epsilon for error in compared.errors))
    most = {(error.mechanism, error.epsilon): error.most for error in compared.errors}
    grid = Grid("epsilon", *map(shown, epsilons), box=None, padding=(0, 2, 0, 0))
    for mechanism in dict.fromkeys(error.mechanism for error in compared.errors):
        cells = [most.get((mechanism, epsilon)) for epsilon in epsilons]
        grid.add_row(mechanism, *("-" if cell is None else f"{cell:,.0f}" for cell in cells))
    lines = [
        "95 % of the counts are off by at most",
        f"on {compared.stand_in}: {compared.outliers:,} outliers in {list_names(compared.columns)}",
    ]
    return forecast_panel(lines, grid, Group(*_left_out(compared), Text(OTHER_ERROR)))


def _left_out(compared: MechanismComparison) -> list[Text]:
    """A line for each reason."""
    return [Text(f"epsilon {', '.join(map(shown, one.epsilons))}: {one.reason}") for one in compared.left_out]
