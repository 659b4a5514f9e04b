"""The HTTP service: analysts send questions over the network, each with a token, and receive releases.

Protected: every row, by `Session`, which answers every question. Public: the description of each table, its number of
rows, every request. Callers also see when a response arrives. `lanes` makes every question take a whole number of
ticks, so that the timing reveals that number and nothing else; docs/known-limits.md says what this leaves open.
"""

from importlib.util import find_spec
from typing import Any

from eremite.errors import InputError


def require_extra() -> None:
    """Raise an error that says what to install, unless the packages of the extra `service` are installed."""
    if any(find_spec(name) is None for name in ("fastapi", "jinja2", "jwt", "uvicorn")):
        raise InputError(
            "The service needs FastAPI, uvicorn and others; install them with: pip install 'eremite[service]'"
        )


def openapi() -> dict[str, Any]:
    """OpenAPI description of every route and field. Opens no dataset."""
    from pathlib import Path

    require_extra()
    from eremite.service.application import application
    from eremite.service.desk import Desk
    from eremite.service.jobs import JobFile
    from eremite.service.lanes import Lane
    from eremite.service.ledger_reads import LedgerReads
    from eremite.service.state import ServiceState
    from eremite.service.worker import Opening, ProcessWorker

    reads, lane = LedgerReads(), Lane(ProcessWorker(Opening()), tick=1.0)  # neither is started
    desk = Desk(
        datasets={}, lanes={}, forecast_lane=lane, jobs=JobFile(None), ledger_reads=reads, granted=lambda _: None
    )
    state = ServiceState(datasets={}, token_file=Path("tokens.json"), tick=1.0, desk=desk, ledger_reads=reads)
    return application(state).openapi()
