"""Where an analyst asks: a table behind a budget."""

from eremite.session.compiling import compile_kernels
from eremite.session.opening import open_session, opened_ledger
from eremite.session.screen import Screen
from eremite.session.session import Session

__all__ = ["Screen", "Session", "compile_kernels", "open_session", "opened_ledger"]
