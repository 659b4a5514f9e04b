"""A session from a description file."""

from pathlib import Path

from eremite.errors import InputError
from eremite.session.session import Session
from eremite.table import open_table, read_description


def open_session(path: str | Path) -> Session:
    """A session on the table of a description file, with the budget set there."""
    description = read_description(path)
    budget = description.budget
    if budget is None:
        raise InputError(f"{path} sets no budget; add [budget] with epsilon before asking.")
    return Session(open_table(description), epsilon=budget.epsilon, delta=budget.delta)
