"""Pictures of releases, forecasts and budgets, with matplotlib: of what was public before it was drawn.

Everything here draws plain values, so any record may have a picture. Importing it without matplotlib is an `InputError`
that says what to install; nothing in eremite imports it before a picture is asked for.
"""

from eremite.errors import InputError

try:
    from eremite.plots.files import SUFFIXES, checked_file, svg, write
except ModuleNotFoundError:
    raise InputError("Plots need matplotlib; pip install 'eremite[plots]'.") from None

__all__ = ["SUFFIXES", "checked_file", "svg", "write"]
