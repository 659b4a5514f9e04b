"""`eremite forecast mechanisms`: the error to expect of a count with each mechanism. Opens no private table."""

import json
from pathlib import Path

from rich.console import Group
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from eremite import OutlierDefinition
from eremite.cli.forecast import stand_in_of
from eremite.cli.names import enumerated
from eremite.cli.terminal import framed, working
from eremite.cli.told import Told
from eremite.cli.typed_names import typed_names
from eremite.forecast import MechanismComparison, Shape, compare_mechanisms
from eremite.forecast.plain import plain
from eremite.privacy import shown
from eremite.table import read_description


def run(
    path: Path,
    definition: OutlierDefinition,
    *,
    columns: str | None,
    epsilons: str,
    delta: str,
    rows: int | None,
    shape: Shape,
    as_json: bool,
) -> Told:
    """Forecast counts with every mechanism for some epsilons."""
    names = None if columns is None else typed_names(columns, "--columns")
    with working("Forecasting"):
        stand_in = stand_in_of(read_description(path), rows, shape)
        compared = compare_mechanisms(stand_in, definition, names, epsilons.split(","), delta)
    return Told(json.dumps(plain(compared)) if as_json else framed(_panel(compared)), compared.plot)


def _panel(compared: MechanismComparison) -> Panel:
    epsilons = list(dict.fromkeys(error.epsilon for error in compared.errors))
    most = {(error.mechanism, error.epsilon): error.most for error in compared.errors}
    grid = Grid("epsilon", *map(shown, epsilons), box=None, padding=(0, 2, 0, 0))
    for mechanism in dict.fromkeys(error.mechanism for error in compared.errors):
        cells = [most.get((mechanism, epsilon)) for epsilon in epsilons]
        grid.add_row(mechanism, *("-" if cell is None else f"{cell:,.0f}" for cell in cells))
    lines = [
        "95 % of the counts are off by at most",
        f"on {compared.stand_in}: {compared.outliers:,} outliers in {enumerated(compared.columns)}",
    ]
    told = Text("A private table that is not like these rows has another error. Nothing was spent.")
    content = Group(Text("\n".join(lines), style="bold"), Text(), grid, Text(), *_left_out(compared), told)
    return Panel(content, title="forecast", title_align="left", padding=(1, 2))


def _left_out(compared: MechanismComparison) -> list[Text]:
    """A line for each reason."""
    return [Text(f"epsilon {', '.join(map(shown, one.epsilons))}: {one.reason}") for one in compared.left_out]
