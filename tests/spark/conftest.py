"""One session of Spark at a time: on this machine, on a cluster of two workers on the loopback, or at a server of
Spark Connect there.

These tests need Spark, Java and minutes, so they run when they are named (`make test-spark`), not with all the others.
"""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eremite.tiles.spark_connect import is_connect
from tests.spark.cluster import SETTINGS, Cluster, running_cluster
from tests.spark.connect_server import ConnectServer, running_connect_server

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave these tests out of a run of all tests."""
    named = [Path(config.invocation_params.dir, argument.split("::")[0]).resolve() for argument in config.args]
    return None if any(path.is_relative_to(HERE) for path in named) else True


@pytest.fixture(scope="session")
def installed() -> None:
    """Spark and Java are here, and the Python workers of Spark find eremite and these tests."""
    pytest.importorskip("pyspark", reason="make test-spark installs Spark")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java: apt-get install openjdk-17-jre-headless")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")])


@pytest.fixture(scope="session")
def cluster(installed: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A master and two workers."""
    with running_cluster(tmp_path_factory.mktemp("cluster")) as started:
        yield started


@pytest.fixture(scope="module")
def on_cluster(cluster: Cluster) -> Iterator[Any]:
    """A session on the cluster."""
    yield from session_with(cluster.master, **SETTINGS)


@pytest.fixture(scope="session")
def server(installed: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConnectServer]:
    """A server of Spark Connect."""
    with running_connect_server(tmp_path_factory.mktemp("connect")) as started:
        yield started


@pytest.fixture(scope="module")
def on_server(server: ConnectServer) -> Iterator[Any]:
    """A session of Spark Connect."""
    yield from session_with(server.master)


@pytest.fixture(scope="module", params=["local", "cluster", "connect"])
def spark(request: pytest.FixtureRequest, installed: None) -> Iterator[Any]:
    """A session on this machine, then one on the cluster, then one of Spark Connect."""
    if request.param == "local":
        yield from session_with("local[2]")
    elif request.param == "cluster":
        started = request.getfixturevalue("cluster")
        yield from session_with(started.master, **SETTINGS)
    else:
        yield request.getfixturevalue("on_server")


def is_local(session: Any) -> bool:
    """Whether the session is on this machine alone."""
    return not is_connect(session) and session.sparkContext.master == "local[2]"


def session_with(master: str, **settings: str) -> Iterator[Any]:
    from eremite.tiles.spark_session import open_spark

    session = open_spark(master, settings)
    yield session
    session.stop()
