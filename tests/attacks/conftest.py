"""Set-up that holds for every attack."""

import pytest


@pytest.fixture(autouse=True)
def any_definition(monkeypatch):
    """Small tables are attacked with definitions that the library refuses too: what it refuses proves nothing."""
    monkeypatch.setattr("eremite.queries.fit.most_neighbors", lambda rows: 10**9)
