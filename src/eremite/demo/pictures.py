"""Pictures for the report, as SVG to put into the page; none where matplotlib is not installed."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from eremite.demo.steps import Step
from eremite.errors import InputError
from eremite.ledger import Ledger

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WITHOUT = "No picture here: matplotlib is not installed. With it (pip install 'eremite[plots]') there is one."


def step_picture(step: Step) -> str:
    """Of the release, or of the forecast."""
    release, forecast = step.release, step.forecast
    if release is not None:
        return _svg(lambda: release.plot(forecast))
    return "" if forecast is None else _svg(lambda: forecast.plot(step.within))


def budget_picture(ledger: Ledger, name: str) -> str:
    """What was spent over time, and what was refused."""
    return _svg(lambda: ledger.timeline(name).plot())


def _svg(draw: Callable[[], "Figure"]) -> str:
    try:
        from eremite.plots import svg
    except InputError:
        return ""
    return svg(draw())
