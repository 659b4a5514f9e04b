"""What the service needs beside eremite itself."""

from importlib.util import find_spec

from eremite.errors import InputError

MISSING = "The service needs FastAPI and uvicorn; install them with: pip install 'eremite[service]'"


def require_extra() -> None:
    """Say what to install, where something is missing."""
    if any(find_spec(name) is None for name in ("fastapi", "uvicorn")):
        raise InputError(MISSING)
