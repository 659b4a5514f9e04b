"""One PostgreSQL server and one session of Spark for all contracts."""

import os
import shutil
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.contracts.ledger_server import running_server


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a running, empty database."""
    pytest.importorskip("adbc_driver_postgresql", reason="pip install 'eremite[postgres]'")
    with running_server() as server:
        yield server.url


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session of Spark on this machine, with two workers."""
    sql = pytest.importorskip("pyspark.sql", reason="make test-spark installs Spark")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java: apt-get install default-jre-headless")
    os.environ["PYSPARK_PYTHON"] = sys.executable  # the Python that has eremite
    builder = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", "2").config("spark.log.level", "OFF").getOrCreate()
    yield session
    session.stop()
