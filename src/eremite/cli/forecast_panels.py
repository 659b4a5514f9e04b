"""Panels of forecasts: what to expect of a count or a search, on which rows."""

from fractions import Fraction
from itertools import chain
from math import ceil

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from eremite import OutlierDefinition
from eremite.cli.output import grid
from eremite.forecast import (
    CountByForecast,
    CountForecast,
    MechanismComparison,
    NamingForecast,
    ReportForecast,
    RowsForecast,
    SubspacesForecast,
)
from eremite.forecast.graded import GRADED
from eremite.forecast.records import length_in_words
from eremite.names import list_names
from eremite.privacy import shown
from eremite.release.words import group_in_words

_OTHER_ERROR = "A private table that is not like these rows has another error. Nothing was spent."


def count_forecast_panel(forecast: CountForecast, needed: Fraction | None, within: str | None) -> Panel:
    """The error of a count by epsilon; with `within`, of the epsilon that is needed."""
    heads = ("epsilon", "noise", "half off by at most", "95 % off by at most", "interval up to")
    rows = [
        (shown(one.epsilon), one.mechanism, f"{ceil(one.median):,}", f"{ceil(one.most):,}", length_in_words(one))
        for one in forecast.errors
    ]
    lines = _computed_on(forecast)
    if needed is not None:
        lines = [f"epsilon {shown(needed)} keeps 95 % of the counts within {within}", *lines]
    return _panel(lines, grid(heads, rows, gap=3), Text(_OTHER_ERROR))


def groups_forecast_panel(forecast: CountByForecast) -> Panel:
    """The error of the count of each group by epsilon."""
    known = all(one.outliers is not None for one in forecast.groups)  # cautious rows have no groups of their own
    rows = [
        (
            group_in_words(one.group),
            *([f"{one.outliers:,}"] if known else []),
            *(f"{ceil(error.most):,}" for error in one.errors),
        )
        for one in forecast.groups
    ]
    lines = [
        f"95 % of the counts in {list_names(forecast.columns)}, by {list_names(forecast.by)}, are off by at most",
        f"on {forecast.stand_in}",
    ]
    heads = ("epsilon", *(["outliers there"] if known else []), *map(shown, forecast.epsilons))
    return _panel(lines, grid(heads, rows, gap=2), Text(_OTHER_ERROR))


def mechanisms_panel(compared: MechanismComparison) -> Panel:
    """The error of a count by mechanism and epsilon, and why some have none."""
    epsilons = list(dict.fromkeys(error.epsilon for error in compared.errors))
    most = {(error.mechanism, error.epsilon): f"{ceil(error.most):,}" for error in compared.errors}
    rows = [
        (mechanism, *(most.get((mechanism, epsilon), "-") for epsilon in epsilons))
        for mechanism in dict.fromkeys(error.mechanism for error in compared.errors)
    ]
    left_out = [Text(f"epsilon {', '.join(map(shown, one.epsilons))}: {one.reason}") for one in compared.left_out]
    lines = ["95 % of the counts are off by at most", *_computed_on(compared)]
    return _panel(lines, grid(("epsilon", *map(shown, epsilons)), rows), Group(*left_out, Text(_OTHER_ERROR)))


def rows_forecast_panel(forecast: RowsForecast) -> Panel:
    """The error of a number of rows by epsilon."""
    rows = [(shown(one.epsilon), f"{ceil(one.median):,}", f"{ceil(one.most):,}") for one in forecast.errors]
    heads = ("epsilon", "half of the answers off by at most", "95 % off by at most")
    lines = ["how far off a private number of rows is, whatever the rows are"]
    return _panel(lines, grid(heads, rows, gap=3), Text("Nothing was spent."))


def subspaces_forecast_panel(forecast: SubspacesForecast, needed: Fraction | None, probability: str | None) -> Panel:
    """The chances of a search by epsilon; with `probability`, of the epsilon that is needed."""
    right = "the right set" if forecast.h == 1 else f"the right {forecast.h} sets"
    lines = [f"on {forecast.stand_in}", f"searched: {forecast.family}{_alike(forecast.definition)}"]
    if needed is not None:
        lines = [f"epsilon {shown(needed)} names {right} with probability {probability}", *lines]
    return _panel(lines, _best_sets(forecast), _chances(forecast), _draws(forecast), _simulated(forecast))


def report_forecast_panel(forecast: ReportForecast, needed: Fraction | None, probability: str | None) -> Panel:
    """The chances of a report and the error of its counts by epsilon."""
    right = "the right set" if forecast.h == 1 else f"the right {forecast.h} sets"
    lines = [f"on {forecast.stand_in}", f"searched: {forecast.family}{_alike(forecast.definition)}"]
    if needed is not None:
        lines = [f"epsilon {shown(needed)} names {right} with probability {probability}", *lines]
    heads = ("epsilon", "first set right", f"all {forecast.h} right", "95 % of the counts off by at most")
    rows = [
        (shown(one.epsilon), f"{100 * one.found:.0f} %", f"{100 * one.all_found:.0f} %", f"{ceil(one.most):,}")
        for one in forecast.chances
    ]
    return _panel(lines, _best_sets(forecast), grid(heads, rows, gap=3), _simulated(forecast))


def naming_forecast_panel(forecast: NamingForecast, needed: Fraction | None, probability: str | None) -> Panel:
    """The chances of a detection or an explanation by epsilon."""
    where = f"{list_names(forecast.columns)}{_alike(forecast.definition)}"
    lines = [f"on {forecast.stand_in}", f"{forecast.h:,} to be named, in {where}"]
    if needed is not None:
        lines = [f"epsilon {shown(needed)} names the right ones with probability {probability}", *lines]
    rows = [(shown(one.epsilon), f"{100 * one.all_found:.0f} %") for one in forecast.chances]
    return _panel(lines, grid(("epsilon", "all right"), rows, gap=3), _simulated(forecast))


def _simulated(forecast: SubspacesForecast | ReportForecast | NamingForecast) -> Text:
    return Text(
        f"Simulated: a chance may be off by {100 * forecast.sampling_error:.0f} percentage points. A private table "
        "that is not like these rows has other chances. Nothing was spent."
    )


def _computed_on(forecast: CountForecast | MechanismComparison) -> list[str]:
    """On which rows, and how many of them are outliers if that is known."""
    where = _where(forecast)
    if forecast.outliers is None:
        return [f"a count in {where}", f"on {forecast.stand_in}"]
    return [f"on {forecast.stand_in}: {forecast.outliers:,} outliers in {where}"]


def _where(forecast: CountForecast | MechanismComparison) -> str:
    return f"{list_names(forecast.columns)}{_alike(forecast.definition)}"


def _alike(definition: OutlierDefinition) -> str:
    return f", among rows that agree on {list_names(definition.within)}" if definition.within else ""


def _best_sets(forecast: SubspacesForecast | ReportForecast) -> Text:
    """The sets that a search should name, and the best of the others."""
    made_up = forecast.stand_in == GRADED  # for no set in particular, so none is named
    if made_up:
        counts = list_names([f"{outliers:,}" for _, outliers in forecast.best], "counts", show=str)
        most = f"{counts} in the best {'set' if forecast.h == 1 else f'{forecast.h:,} sets'}"
    else:
        most = "; ".join(f"{outliers:,} in {list_names(columns)}" for columns, outliers in forecast.best)
    if forecast.runner_up is not None:
        most += f"; {f'{forecast.runner_up:,} at most' if forecast.runner_up else 'none'} in any other set"
    return Text(f"outliers{', made up' * made_up}: {most}")


def _chances(forecast: SubspacesForecast) -> RenderableType:
    several = forecast.h > 1
    heads = ["first set right", f"all {forecast.h} right", "share right"] if several else ["set right"]
    rows = []
    for chance in forecast.chances:
        chances = [chance.found, chance.all_found, chance.share] if several else [chance.found]
        rows.append((shown(chance.epsilon), *(f"{100 * each:.0f} %" for each in chances), f"{chance.missed:,.1f}"))
    return grid(("epsilon", *heads, "outliers missed"), rows, gap=3)


def _draws(forecast: SubspacesForecast) -> Text:
    """How sets are drawn, which may depend on epsilon."""
    by_draw: dict[str, list[str]] = {}
    for one in forecast.chances:
        by_draw.setdefault(f"{one.utility}, {one.selection}", []).append(shown(one.epsilon))
    if len(by_draw) == 1:
        return Text(f"draws: {next(iter(by_draw))}")
    return Text("\n".join(f"draws at epsilon {', '.join(at)}: {draw}" for draw, at in by_draw.items()))


def _panel(head: list[str], *parts: RenderableType) -> Panel:
    """Bold lines, then the parts, with an empty line before each."""
    spaced = chain.from_iterable((Text(), part) for part in parts)
    content = Group(Text("\n".join(head), style="bold"), *spaced)
    return Panel(content, title="forecast", title_align="left", padding=(1, 2))
