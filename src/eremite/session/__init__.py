"""Where an analyst asks: a table behind a budget."""

from eremite.session.session import Session, open_session

__all__ = ["Session", "open_session"]
