"""The HTTP service: analysts send questions over the network, each with a token, and receive releases.

Protected: every row, by `Session`, which answers every question. Public: the description of each table, its number of
rows, every request. Callers also see when a response arrives. `scheduler` makes every question take a whole number of
ticks, so that the timing reveals that number and nothing else; docs/known-limits.md says what this leaves open.
"""

from importlib.util import find_spec
from typing import Any

from eremite.errors import InputError


def require_extra() -> None:
    """Raise an error that says what to install, unless the packages of the extra `service` are installed."""
    if any(find_spec(name) is None for name in ("fastapi", "uvicorn")):
        raise InputError("The service needs FastAPI and uvicorn; install them with: pip install 'eremite[service]'")


def openapi() -> dict[str, Any]:
    """OpenAPI description of every route and field. Opens no dataset."""
    from pathlib import Path

    require_extra()
    from eremite.service.application import application
    from eremite.service.scheduler import Scheduler
    from eremite.service.state import ServiceState

    return application(ServiceState(datasets={}, token_file=Path("tokens.json"), scheduler=Scheduler(1.0))).openapi()
