"""A guard against spending a budget twice, in a process and in its forked copy."""

import os
from dataclasses import dataclass, field

from eremite.errors import BudgetRefused


@dataclass(frozen=True, slots=True)
class ProcessGuard:
    """Remembers the process that it was made in."""

    process: int = field(default_factory=os.getpid)

    def require(self) -> None:
        """Raise `BudgetRefused` in any other process."""
        if os.getpid() != self.process:
            raise BudgetRefused(
                "This session was opened in another process, of which this one is a copy; the budget would be spent "
                "twice. Open the session in the process that asks."
            )
