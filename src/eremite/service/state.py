"""The state of a running service: its datasets by their public facts, its ledgers, its desk; no private row."""

from collections.abc import Awaitable, Callable, Collection, MutableMapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from eremite.ledger import Ledger
from eremite.service.desk import Desk
from eremite.service.ledger_reads import LedgerReads
from eremite.service.oidc import Oidc
from eremite.service.rates import Rates
from eremite.table import Facts, Table

MOST_ROWS = 2**32 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """What is public about a private table, and its ledger, which is thread-safe."""

    name: str
    facts: Facts
    table: Table  # without its rows: questions are planned with it
    ledger: Ledger

    @classmethod
    def of(cls, name: str, facts: Facts, ledger: Ledger) -> "Dataset":
        """The dataset with these facts."""
        return cls(name=name, facts=facts, table=Table.for_planning(facts), ledger=ledger)

    @property
    def of_any_size(self) -> "Dataset":
        """The same with as many rows as a table can have: what identifies a question does not depend on that."""
        return Dataset.of(self.name, replace(self.facts, rows=MOST_ROWS), self.ledger)

    def public_facts(self) -> dict[str, Any]:
        """All that is public about the table."""
        return {"name": self.name} | self.facts.described()


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceState:
    """What all requests share. `datasets` changes when rows are replaced."""

    datasets: MutableMapping[str, Dataset]
    token_file: Path
    tick: float
    desk: Desk
    ledger_reads: LedgerReads
    rates: Rates = field(default_factory=Rates)
    oidc: Oidc | None = None
    reload: Callable[[str, Collection[str]], Awaitable[None]] | None = None  # opens the rows of a dataset again

    def close(self) -> None:
        """End the workers, then close the ledgers: each has all its charges in one file, its witness the last event."""
        with ExitStack() as ledgers:  # it closes all of them, even if one fails
            for dataset in self.datasets.values():
                ledgers.callback(dataset.ledger.close)
            ledgers.callback(self.desk.close)  # the last to be named is the first to be called
