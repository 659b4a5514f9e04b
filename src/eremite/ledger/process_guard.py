"""The process that a budget belongs to."""

import os
from dataclasses import dataclass, field

from eremite.errors import BudgetRefused


@dataclass(frozen=True, slots=True)
class ProcessGuard:
    """Where something that may be spent once was made. A forked process has a copy of it, and must not spend it too."""

    process: int = field(default_factory=os.getpid)

    def require(self) -> None:
        """Refuse in any other process."""
        if os.getpid() != self.process:
            raise BudgetRefused(
                "This session was opened in another process, of which this one is a copy; the budget would be spent "
                "twice. Open the session in the process that asks."
            )
