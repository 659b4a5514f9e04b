"""The state of a running service: its datasets, its token file, its scheduler."""

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eremite import Session, Table
from eremite.errors import InputError, LedgerError
from eremite.ledger import Creation, Ledger
from eremite.privacy import Privacy
from eremite.service.ledger_reads import LedgerReads
from eremite.service.scheduler import Scheduler
from eremite.session import opened_ledger
from eremite.table import open_stand_in, read_description
from eremite.tiles import AnyTable, open_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A private table and its ledger. The table is read-only and the ledger is thread-safe."""

    name: str
    table: AnyTable
    stand_in: Table | None
    cap: Privacy  # the first one, for a ledger without this dataset
    ledger: Ledger

    def session(self, account: str) -> Session:
        """A session of an account."""
        return Session(
            self.table,
            epsilon=self.cap.epsilon,
            delta=self.cap.delta,
            ledger=self.ledger,
            account=account,
            dataset=self.name,
            stand_in=self.stand_in,
        )

    def public_facts(self) -> dict[str, Any]:
        """All that is public about the table."""
        return {"name": self.name} | self.table.facts.described()


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceState:
    """What all requests share."""

    datasets: Mapping[str, Dataset]
    token_file: Path
    scheduler: Scheduler
    ledger_reads: LedgerReads = field(default_factory=LedgerReads)

    def close(self) -> None:
        """Close the ledgers: each then has all its charges in one file, and its witness has the last event."""
        with ExitStack() as ledgers:  # closes all of them, even if one fails
            for dataset in self.datasets.values():
                ledgers.callback(dataset.ledger.close)


def open_datasets(paths: Iterable[Path], place: str | None, create: Creation = "never") -> dict[str, Dataset]:
    """The datasets by name. Invalid files and unsound ledgers are errors now, before the first question."""
    datasets: dict[str, Dataset] = {}
    for path in paths:
        dataset = _open_dataset(path, place, create)
        if dataset.name in datasets:
            raise InputError(f"Two descriptions name their dataset {dataset.name!r}; serve one of them.")
        datasets[dataset.name] = dataset
    for ledger in {dataset.ledger.where: dataset.ledger for dataset in datasets.values()}.values():
        _require_sound(ledger)
    return datasets


def _require_sound(ledger: Ledger) -> None:
    """Refuse a ledger whose events were changed, or whose sums do not match its events."""
    findings = ledger.verify().findings
    if findings:
        more = f" ({len(findings)} findings in all)" if len(findings) > 1 else ""
        raise LedgerError(
            f"{ledger.where} does not hold together, and is not served: {findings[0]}{more} "
            "See eremite history --verify, and restore it from a backup."
        )


def _open_dataset(path: Path, place: str | None, create: Creation) -> Dataset:
    description = read_description(path)
    name = description.dataset.name
    if "/" in name or name in (".", ".."):
        raise InputError(f"{path} names its dataset {name!r}, which cannot be part of an address; use another name.")
    _, ledger = opened_ledger(path, place, create=create)
    budget = description.budget
    assert budget is not None, "the ledger was opened with it"  # noqa: S101 -- for the type checker
    return Dataset(
        name=name,
        table=open_rows(description),
        stand_in=open_stand_in(description),
        cap=Privacy(budget.epsilon, budget.delta),
        ledger=ledger,
    )
