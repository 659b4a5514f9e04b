"""One PostgreSQL server for all contracts."""

from collections.abc import Iterator

import pytest
from ledger_server import running_server


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a running, empty database."""
    pytest.importorskip("adbc_driver_postgresql", reason="pip install 'eremite[postgres]'")
    with running_server() as server:
        yield server.url
