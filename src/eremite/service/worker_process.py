"""The process of a worker: `python -m eremite.service.worker_process`, with a connection to the service."""

import os
import signal
import sys
import warnings
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread
from typing import Any

from eremite.errors import EremiteError, LedgerNotice
from eremite.service.opening import forecasts_of, open_session
from eremite.service.work import Failed, Work
from eremite.service.worker import Charge, Compute, Forecast, Message, Opened, Opening, Reply
from eremite.session import compile_kernels


def main(descriptor: int) -> None:
    """Run a worker until its connection is closed."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    connection = Connection(descriptor)
    messages: SimpleQueue[Any] = SimpleQueue()
    Thread(target=_receive, args=(connection, messages), daemon=True).start()
    try:
        work, opened = _open(messages.get())
    except EremiteError as error:
        connection.send(Failed(503, str(error)))
        return
    connection.send(opened)
    while (message := messages.get()) is not None:
        connection.send(do(work, message))
    work.close()


def _receive(connection: Connection, messages: "SimpleQueue[Any]") -> None:
    """Pass messages on; end the process once nobody waits for a reply any more."""
    while True:
        try:
            messages.put(connection.recv())
        except (OSError, EOFError):
            os._exit(0)


def do(work: Work, message: Message) -> Reply:
    """The reply to a message."""
    match message:
        case Charge(turn):
            return work.charge(turn)
        case Compute(asked, charged_at):
            return work.compute(asked, charged_at)
        case Forecast(asked):
            return work.forecast(asked)


def _open(opening: Opening) -> tuple[Work, Opened]:
    """Open everything, on the cores of this worker, and compile all kernels that a question may need."""
    if opening.cores and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, opening.cores)
    warnings.simplefilter("ignore", LedgerNotice)  # the service told the custodian already
    sessions = dict(open_session(path, opening.ledger) for path in opening.descriptions)
    forecasts = forecasts_of(opening.forecasts) if opening.forecasts else sessions
    compile_kernels(max(len(one.columns) for one in forecasts.values()), lambda _: None)
    return Work(sessions, forecasts), Opened({name: session.facts for name, session in sessions.items()})


if __name__ == "__main__":
    main(int(sys.argv[1]))
