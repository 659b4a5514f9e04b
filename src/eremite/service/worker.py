"""A worker is a process that holds private rows, or the public facts for forecasts, and does one thing at a time.

The process that listens to clients holds no private row. It starts workers (`worker_process`),
sends them messages over a socket that nobody else has, and waits for each reply. A worker ends when that socket is
closed, even in the middle of a computation: whoever would have waited for the answer is gone, and the ledger says that
it was charged. Signals that end the service are not for workers, which end with it.
"""

import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

from eremite.errors import EremiteError
from eremite.service.work import Answer, Asked, Begun, Failed
from eremite.table import Facts


class WorkerDied(Exception):  # noqa: N818 -- it names what happened
    """The process of a worker ended before it replied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What a worker opens: datasets with their rows, and datasets by their facts alone, for forecasts."""

    descriptions: tuple[Path, ...] = ()
    ledger: str | None = None
    forecasts: tuple[tuple[Path, Facts], ...] = ()  # none: forecasts of `descriptions` are made here as well
    cores: frozenset[int] = frozenset()  # none: all


@dataclass(frozen=True, slots=True)
class Charge:
    """Charge the questions of a turn. The reply is a list with a `Begun`, an `Answer` or a `Failed` for each."""

    turn: tuple[Asked, ...]


@dataclass(frozen=True, slots=True)
class Compute:
    """Compute a question that was charged then. The reply is an `Answer` or a `Failed`."""

    asked: Asked
    charged_at: datetime


@dataclass(frozen=True, slots=True)
class Forecast:
    """Compute a forecast. The reply is an `Answer` or a `Failed`."""

    asked: Asked


@dataclass(frozen=True, slots=True)
class Opened:
    """The reply to an `Opening`: the public facts of every dataset whose rows were opened."""

    facts: Mapping[str, Facts] = field(default_factory=dict)


Message = Charge | Compute | Forecast
Reply = list[Begun | Answer | Failed] | Answer | Failed


class Worker(Protocol):
    """Does what messages say, one after the other."""

    def start(self) -> Mapping[str, Facts]:
        """Start it, or start it again; the public facts of the datasets whose rows it opened."""

    def call(self, message: Message) -> Any:
        """The reply to a message; `WorkerDied` if there is none."""

    def kill(self) -> None:
        """End it at once; a call that waits for its reply raises `WorkerDied`."""

    def close(self) -> None:
        """End it after what it does at the moment."""


class ProcessWorker:
    """A worker in a process of its own."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._one_call = Lock()

    def start(self) -> Mapping[str, Facts]:
        """Start the process and wait until it has opened everything. Its error is a sentence for the custodian."""
        self.kill()
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 -- this interpreter and this module
                [sys.executable, *_flags(), "-m", "eremite.service.worker_process", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
            )
        self._connection = Connection(ours.detach())
        reply = self._exchange(self._opening)
        if isinstance(reply, Failed):
            self.kill()
            raise EremiteError(reply.sentence)
        facts: Mapping[str, Facts] = reply.facts
        return facts

    def call(self, message: Message) -> Any:
        """The reply to a message; `WorkerDied` if there is none."""
        return self._exchange(message)

    def kill(self) -> None:
        """End the process at once."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def close(self) -> None:
        """Let the process close its ledgers and end."""
        if self._process is None or self._connection is None:
            return
        with self._one_call:
            with suppress(OSError):  # it has ended already
                self._connection.send(None)
            self._process.wait()
            self._connection.close()
            self._process = self._connection = None

    def _exchange(self, message: object) -> Any:
        with self._one_call:
            if self._connection is None:
                raise WorkerDied
            try:
                self._connection.send(message)
                return self._connection.recv()
            except (OSError, EOFError):
                self._connection.close()
                self._connection = None
        raise WorkerDied


def _flags() -> list[str]:
    """The options of this interpreter that matter to a worker: warnings that are errors are errors there, too."""
    return [f"-W{option}" for option in sys.warnoptions]
