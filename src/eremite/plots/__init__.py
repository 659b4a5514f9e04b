"""Pictures of releases, forecasts and budgets, with matplotlib. They show public values only.

The functions here draw plain values, so any record can have a picture. Importing this package without matplotlib is an
`InputError` that says what to install; eremite imports it only when a picture is drawn.
"""

from eremite.errors import InputError

try:
    from eremite.plots.files import SUFFIXES, checked_file, svg, write
except ModuleNotFoundError:
    raise InputError("Plots need matplotlib; pip install 'eremite[plots]'.") from None

__all__ = ["SUFFIXES", "checked_file", "svg", "write"]
