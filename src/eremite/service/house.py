"""What a running service holds: its datasets, opened once, where its tokens are, and the lane for questions."""

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eremite import Session, Table
from eremite.errors import InputError, LedgerError
from eremite.ledger import Account, Creation, Ledger
from eremite.privacy import Privacy
from eremite.service.ledger_reads import LedgerReads
from eremite.service.tokens import Grant
from eremite.service.turns import Turns
from eremite.session import opened_ledger
from eremite.table import open_stand_in, open_table, read_description


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """One private table behind its budget. The table is read-only, and the ledger takes any number of threads."""

    name: str
    table: Table
    stand_in: Table | None
    cap: Privacy  # of a ledger that does not know the dataset yet
    ledger: Ledger

    def session(self, account: str) -> Session:
        """Where an account asks."""
        return Session(
            self.table,
            epsilon=self.cap.epsilon,
            delta=self.cap.delta,
            ledger=self.ledger,
            account=account,
            dataset=self.name,
            stand_in=self.stand_in,
        )

    def account(self, grant: Grant) -> Account:
        """From which a token spends."""
        return Account(self.name, grant.account)

    def facts(self) -> dict[str, Any]:
        """All that is public about the table."""
        columns = {name: {"min": bounds.min, "max": bounds.max} for name, bounds in self.table.bounds.items()}
        return {
            "name": self.name,
            "n_rows": self.table.n_rows,
            "rows_per_person": self.table.rows_per_person,
            "columns": columns,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """All of it, by name."""

    datasets: Mapping[str, Dataset]
    tokens: Path
    turns: Turns
    ledger_reads: LedgerReads = field(default_factory=LedgerReads)

    def close(self) -> None:
        """Let go of the ledgers; each has every charge in one file then, and its witness has the last event."""
        with ExitStack() as ledgers:  # all of them, also when one cannot be reached
            for dataset in self.datasets.values():
                ledgers.callback(dataset.ledger.close)


def open_datasets(paths: Iterable[Path], place: str | None, create: Creation = "never") -> dict[str, Dataset]:
    """Every dataset under its name; what does not fit is an error now, and not when somebody asks."""
    datasets: dict[str, Dataset] = {}
    for path in paths:
        dataset = _opened(path, place, create)
        if dataset.name in datasets:
            raise InputError(f"Two descriptions name their dataset {dataset.name!r}; serve one of them.")
        datasets[dataset.name] = dataset
    for ledger in {dataset.ledger.where: dataset.ledger for dataset in datasets.values()}.values():
        _require_sound(ledger)
    return datasets


def _require_sound(ledger: Ledger) -> None:
    """Nobody is served from a ledger whose events were changed, or whose sums are not theirs."""
    findings = ledger.verify().findings
    if findings:
        more = f" ({len(findings)} findings in all)" if len(findings) > 1 else ""
        raise LedgerError(
            f"{ledger.where} does not hold together, and is not served: {findings[0]}{more} "
            "See eremite history --verify, and restore it from a backup."
        )


def _opened(path: Path, place: str | None, create: Creation) -> Dataset:
    description = read_description(path)
    name = description.dataset.name
    if "/" in name or name in (".", ".."):
        raise InputError(f"{path} names its dataset {name!r}, which cannot be part of an address; use another name.")
    _, ledger = opened_ledger(path, place, create=create)
    budget = description.budget
    assert budget is not None, "the ledger was opened with it"  # noqa: S101 -- for the type checker
    return Dataset(
        name=name,
        table=open_table(description),
        stand_in=open_stand_in(description),
        cap=Privacy(budget.epsilon, budget.delta),
        ledger=ledger,
    )
