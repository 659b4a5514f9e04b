"""From which budget a request is paid, as typed."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eremite import Session


@dataclass(frozen=True, slots=True)
class Purse:
    """A ledger, if another than the one beside the description, an account in it, and the id of the request."""

    ledger: str | None
    account: str
    request_id: str | None

    def open(self, path: Path) -> "Session":
        """A session that spends from it."""
        import eremite

        return eremite.open(path, ledger=self.ledger, account=self.account)
