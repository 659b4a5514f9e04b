"""From which budget a request is paid, as typed."""

import shlex
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from eremite.errors import InputError, TableError

if TYPE_CHECKING:
    from eremite import Session


@dataclass(frozen=True, slots=True)
class Purse:
    """A ledger, if another than the one beside the description, an account in it, and the id of the request."""

    ledger: str | None
    account: str
    request_id: str | None

    def open(self, path: Path) -> "Session":
        """A session that spends from it. Whatever is wrong with the rows is one sentence, always the same."""
        import eremite

        with suppress(TableError):
            return eremite.open(path, ledger=self.ledger, account=self.account)
        raise InputError(  # here, so that the details do not travel along: they depend on the rows
            f"The table does not fit its description; the custodian can run: eremite check {shlex.quote(str(path))}"
        )
