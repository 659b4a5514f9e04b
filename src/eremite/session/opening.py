"""A session from a description file."""

from pathlib import Path

from eremite.errors import InputError
from eremite.ledger import Ledger
from eremite.session.session import Session
from eremite.table import open_table, read_description


def open_session(path: str | Path, *, ledger: Ledger | str | Path | None = None, account: str = "analyst") -> Session:
    """A session on the table of a description file, for one analyst's `account`.

    The budget set there is the dataset's cap when its ledger is new; from then on the ledger's cap holds. The ledger is
    a file beside the description with the ending .db, another file, or a database at postgresql://...
    """
    description = read_description(path)
    budget = description.budget
    if budget is None:
        raise InputError(f"{path} sets no budget; add [budget] with epsilon before asking.")
    return Session(
        open_table(description),
        epsilon=budget.epsilon,
        delta=budget.delta,
        ledger=ledger_beside(path) if ledger is None else ledger,
        account=account,
        dataset=description.dataset.name,
    )


def ledger_beside(path: str | Path) -> Path:
    """Where the ledger of a description is, unless somebody says otherwise."""
    return Path(path).with_suffix(".db")
