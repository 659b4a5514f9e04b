"""A session from a description file."""

from pathlib import Path

from eremite.errors import InputError
from eremite.ledger import Ledger, open_ledger
from eremite.privacy import checked_budget
from eremite.session.session import Session
from eremite.table import Budget, Description, open_stand_in, open_table, read_description
from eremite.table.sources import source_kind


def open_session(path: str | Path, *, ledger: Ledger | str | Path | None = None, account: str = "analyst") -> Session:
    """A session on the table of a description file, for one analyst's `account`.

    The budget set there is the dataset's cap when its ledger is new; from then on the ledger's cap holds. The ledger is
    a file beside the description with the ending .db, another file, or a database at postgresql://...

    Rows that do not fit are a `TableError`. Its words depend on the rows: they are for the custodian, whose process
    this is, and must not be passed on to analysts.
    """
    description = read_description(path)
    budget = _budget(path, description)
    return Session(
        open_table(description),
        epsilon=budget.epsilon,
        delta=budget.delta,
        ledger=_beside(description) if ledger is None else ledger,
        account=account,
        dataset=description.dataset.name,
        stand_in=open_stand_in(description),
    )


def opened_ledger(path: str | Path, place: str | Path | None = None) -> tuple[str, Ledger]:
    """The name of a description's dataset, and its ledger, as `open_session` uses it. No row is looked at."""
    description = read_description(path)
    budget = _budget(path, description)
    ledger = open_ledger(_beside(description) if place is None else place)
    dataset, cap = description.dataset, checked_budget(budget.epsilon, budget.delta)
    ledger.open_dataset(dataset.name, cap, dataset.rows_per_person)
    return dataset.name, ledger


def _budget(path: str | Path, description: Description) -> Budget:
    if description.budget is None:
        raise InputError(f"{path} sets no budget; add [budget] with epsilon before asking.")
    return description.budget


def _beside(description: Description) -> Path:
    """patients.db beside patients.toml, unless the rows themselves are in that file."""
    place = description.path.with_suffix(".db")
    if source_kind(description.dataset.source) == "sqlite" and description.source_path.resolve() == place.resolve():
        return description.path.with_suffix(".ledger.db")
    return place
