"""What Spark writes down: no cell, unless Spark itself fails on one."""

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from tests.spark import rows as work
from tests.spark.cluster import Cluster
from tests.spark.conftest import ROOT
from tests.spark.connect_server import ConnectServer
from tests.spark.rows import SECRET

SECRET_NUMBER = 0.313374242


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with a cell that the rules refuse, and a secret in each column."""
    path = tmp_path / "rows.parquet"
    parquet.write_table(pa.table({"x0": [SECRET_NUMBER, None, SECRET_NUMBER], "note": ["1", SECRET, "2"]}), path)
    return path


@pytest.mark.parametrize("place", ["cluster", "server"])
def test_refused_rows_and_failing_work_leave_no_cell_in_any_log(
    request: pytest.FixtureRequest, place: str, file: Path, tmp_path: Path
) -> None:
    where: Cluster | ConnectServer = request.getfixturevalue(place)
    events = tmp_path / "events"
    events.mkdir()
    ran = subprocess.run(
        [sys.executable, "-m", "tests.spark.refusing", where.master, str(file), str(events)],
        cwd=ROOT, capture_output=True, text=True, check=True, timeout=120,
        env={**os.environ, "SPARK_CONNECT_LOG_LEVEL": "debug"},
    )  # fmt: skip
    refusal = "TableError: In the frame, column 'x0' has cells that are missing or not a number"
    uncut = "RuntimeError: Spark could not cut the rows into tiles; its logs say why."
    failure = "RuntimeError: A task of Spark ended with ValueError."
    lines = ran.stdout.splitlines()
    unread = (
        "RuntimeError: Spark could not finish its work on tiles; its logs say why." if place == "cluster" else uncut
    )
    assert [line[: len(refusal)] for line in lines] == [refusal, uncut, failure, failure, refusal, unread]
    told = "\n".join([ran.stderr, where.logs(), *(path.read_text() for path in events.rglob("*") if path.is_file())])
    assert ("eremite: rows into tiles" if place == "cluster" else "Spark Connect - session_id") in told  # of a job
    assert SECRET not in told
    assert str(SECRET_NUMBER)[2:] not in told
    # Nor a sentence about cells. A server may log a plan of an earlier test, which has the place of the rows in it.
    assert (work.PLACE if place == "cluster" else "has cells that are missing") not in told
