"""Pictures for the report, if matplotlib is installed: SVG to put into the page."""

from eremite.demo.steps import Step
from eremite.errors import InputError

WITHOUT = "No picture here: matplotlib is not installed. With it (pip install 'eremite[plots]') the demo draws one."


def step_picture(step: Step) -> str:
    """Of the release; nothing without matplotlib."""
    try:
        from eremite.plots import svg
    except InputError:
        return ""
    if step.release is not None:
        return svg(step.release.plot(step.forecast))
    return ""
