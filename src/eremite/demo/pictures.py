"""Pictures for the report, as SVG; empty if matplotlib is not installed."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from eremite.demo.steps import Step
from eremite.errors import InputError
from eremite.ledger import Ledger

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WITHOUT = "No picture here: matplotlib is not installed. With it (pip install 'eremite[plots]') there is one."


def step_picture(step: Step) -> str:
    """The picture of a step's release or forecast."""
    release, forecast = step.release, step.forecast
    if release is not None:
        return _svg(lambda: release.plot(forecast))
    return "" if forecast is None else _svg(lambda: forecast.plot(step.within))


def budget_picture(ledger: Ledger, name: str) -> str:
    """The picture of the budget over time."""
    return _svg(lambda: ledger.timeline(name).plot())


def _svg(draw: Callable[[], "Figure"]) -> str:
    try:
        from eremite.plots import svg
    except InputError:
        return ""
    return svg(draw())
