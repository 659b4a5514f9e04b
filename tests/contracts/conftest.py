"""One PostgreSQL server, one session of Spark and one of Spark Connect for all contracts."""

import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from eremite.tiles.spark_connect import open_connect
from tests.contracts.ledger_server import running_server
from tests.spark.connect_server import running_connect_server


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a running, empty database."""
    pytest.importorskip("adbc_driver_postgresql", reason="pip install 'eremite[postgres]'")
    with running_server() as server:
        yield server.url


@pytest.fixture(scope="session")
def spark_installed() -> None:
    """Spark and Java are here. Spark Connect warns of the version of pandas when it is imported, wherever that is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("pyspark.sql.connect.session", reason="make test-spark installs Spark")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java: apt-get install default-jre-headless")
    os.environ["PYSPARK_PYTHON"] = sys.executable  # the Python that has eremite


@pytest.fixture(scope="session")
def spark(spark_installed: None) -> Iterator[Any]:
    """A session of Spark on this machine, with two workers."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", "2").config("spark.log.level", "OFF").getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="session")
def spark_connect(spark_installed: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A session of Spark Connect, at a server on the loopback."""
    with running_connect_server(tmp_path_factory.mktemp("connect")) as server:
        session = open_connect(server.master, {})
        yield session
        session.stop()
