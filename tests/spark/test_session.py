"""Sessions of Spark for a command, and what they open."""

import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from eremite.tiles.spark_connect import is_connect
from eremite.tiles.spark_session import open_context, open_spark, spark_frame
from tests.refusals import refused
from tests.spark.conftest import session_with
from tests.spark.connect_server import ConnectServer


@pytest.fixture(scope="module")
def session(installed: None) -> Iterator[Any]:
    yield from session_with("local[2]")


@pytest.fixture(params=["session", "on_server"])
def anywhere(request: pytest.FixtureRequest) -> Any:
    """A session on this machine, or one of Spark Connect beside it."""
    return request.getfixturevalue(request.param)


def test_local_session_is_neutral_and_for_this_user_alone(session: Any) -> None:
    conf = session.sparkContext.getConf()
    assert conf.get("spark.app.name") == "eremite"
    assert conf.get("spark.ui.enabled") == "false"
    assert conf.get("spark.driver.host") == "127.0.0.1"
    scratch = Path(conf.get("spark.local.dir"))
    assert stat.S_IMODE(scratch.stat().st_mode) == 0o700
    assert any(scratch.iterdir())


def test_scratch_folder_is_removed_at_the_end(installed: None) -> None:
    program = "from eremite.tiles.spark_session import open_spark as o; print(o('local').conf.get('spark.local.dir'))"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert not Path(ran.stdout.strip()).exists()


def test_settings_are_those_of_one_context_alone(installed: None) -> None:
    program = (
        "from eremite.tiles.spark_session import open_context; from pyspark import SparkConf; "
        "one = open_context('local[1]'); print(one.getConf().get('spark.python.daemon.module')); one.stop(); "
        "print([name for name, _ in SparkConf().getAll() if name != 'spark.submit.pyFiles'])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    used, left = ran.stdout.splitlines()
    assert used == "eremite.tiles.spark_daemon"
    assert "daemon" not in left
    assert "spark.local.dir" not in left


def test_other_master_of_an_open_session_is_refused(session: Any) -> None:
    assert open_spark("local[2]") is session
    assert open_context("local[2]") is session.sparkContext
    assert "another master is open already" in refused(lambda: open_spark("local[1]"))


def test_missing_spark_or_java_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    assert "pip install 'eremite[spark]'" in refused(lambda: open_spark("local"))


def test_missing_java_is_one_sentence(installed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    assert "Spark needs Java 17 or newer" in refused(lambda: open_spark("local[2]"))


def test_session_of_spark_connect_leaves_others_alone(session: Any, server: ConnectServer) -> None:
    one, other = (open_spark(server.master) for _ in range(2))
    assert is_connect(one)
    assert one is not other
    assert open_spark("local[2]") is session
    assert session.range(3).count() == one.range(3).count() == 3
    for opened in (one, other):
        opened.stop()


def test_missing_client_of_spark_connect_is_one_sentence(installed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql.connect.session", None)
    assert "pip install 'eremite[spark]'" in refused(lambda: open_spark("sc://127.0.0.1"))


@pytest.mark.parametrize("address", ["sc://", "sc://host:word", "sc://127.0.0.1:1/path;token=SECRETWORD", "sc://[;"])
def test_address_of_a_server_that_cannot_be_one_is_one_sentence(installed: None, address: str) -> None:
    assert "does not answer; correct --master" in refused(lambda: open_spark(address))


def test_sources_are_frames_files_and_tables(anywhere: Any, tmp_path: Path) -> None:
    parquet.write_table(pa.table({"x": [1.0]}), tmp_path / "rows.parquet")
    frame = spark_frame(anywhere, tmp_path / "rows.parquet")
    assert frame.columns == ["x"]
    assert spark_frame(anywhere, str(tmp_path)).columns == ["x"]
    assert spark_frame(anywhere, frame) is frame
    frame.createOrReplaceTempView("visits")
    assert spark_frame(anywhere, "visits").columns == ["x"]


def test_sources_that_cannot_be_opened_are_one_sentence(anywhere: Any, tmp_path: Path) -> None:
    (tmp_path / "text.parquet").write_text("no Parquet")
    assert "Spark has no table 'visit'" in refused(lambda: spark_frame(anywhere, "visit"))
    for name in ("absent.parquet", "text.parquet"):
        assert "as Parquet; correct the path" in refused(lambda name=name: spark_frame(anywhere, tmp_path / name))
