"""Where an analyst asks: a table behind a budget."""

from eremite.session.compiling import compile_kernels
from eremite.session.forecasts import Forecasts, open_forecasts
from eremite.session.opening import Accepted, accept_ledger, ledger_to_look_at, open_session, opened_ledger
from eremite.session.screen import Screen
from eremite.session.session import Session

__all__ = [
    "Accepted",
    "Forecasts",
    "Screen",
    "Session",
    "accept_ledger",
    "compile_kernels",
    "ledger_to_look_at",
    "open_forecasts",
    "open_session",
    "opened_ledger",
]
