"""Sessions of Spark for a command, and what they open."""

import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from eremite.tiles.spark_session import open_spark, spark_frame
from tests.refusals import refused


@pytest.fixture(scope="module")
def session(installed: None) -> Any:
    opened = open_spark("local[2]")
    yield opened
    opened.stop()


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


def test_other_master_of_an_open_session_is_refused(session: Any) -> None:
    assert open_spark("local[2]") is session
    assert "another master is open already" in refused(lambda: open_spark("local[1]"))


def test_missing_spark_or_java_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    assert "pip install 'eremite[spark]'" in refused(lambda: open_spark("local"))


def test_missing_java_is_one_sentence(installed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    assert "Spark needs Java 17 or newer" in refused(lambda: open_spark("local[2]"))


def test_sources_are_frames_files_and_tables(session: Any, tmp_path: Path) -> None:
    parquet.write_table(pa.table({"x": [1.0]}), tmp_path / "rows.parquet")
    frame = spark_frame(session, tmp_path / "rows.parquet")
    assert frame.columns == ["x"]
    assert spark_frame(session, str(tmp_path)).columns == ["x"]
    assert spark_frame(session, frame) is frame
    frame.createOrReplaceTempView("visits")
    assert spark_frame(session, "visits").columns == ["x"]


def test_sources_that_cannot_be_opened_are_one_sentence(session: Any, tmp_path: Path) -> None:
    (tmp_path / "text.parquet").write_text("no Parquet")
    assert "Spark has no table 'visit'" in refused(lambda: spark_frame(session, "visit"))
    for name in ("absent.parquet", "text.parquet"):
        assert "as Parquet; correct the path" in refused(lambda name=name: spark_frame(session, tmp_path / name))
