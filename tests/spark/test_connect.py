"""Spark Connect: commands and tables at a server give the answers of memory; a server that is gone charges nothing."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import eremite
from eremite.tiles import spark_connect
from eremite.tiles.spark import SparkSource, of_frame
from eremite.tiles.spark_tasks import packed
from tests.end_to_end.command_line import Captured, refused, run, run_json
from tests.end_to_end.patients import description
from tests.end_to_end.test_cli_engines import answer
from tests.refusals import refused as refused_by
from tests.spark import rows as work
from tests.spark.cluster import free_port, kill, settled, wait_until
from tests.spark.conftest import ROOT
from tests.spark.connect_server import ConnectServer, running_connect_server
from tests.spark.rows import SECRET
from tests.spark.test_faults import meanwhile
from tests.unit.tiles.test_questions import answer as library_answer

BOUNDS = {"bmi": (10, 60), "sugar": (40, 400)}
COUNT = ("-k", 5, "-r", 0.02, "--epsilon", 1)
ROWS = np.random.default_rng(1).normal([25, 100], [4, 20], (3000, 2))
PATIENTS = pa.table({"bmi": ROWS[:, 0], "sugar": ROWS[:, 1]})
POINTS = np.random.default_rng(2).random((2000, 2))
DEFINITION = eremite.OutlierDefinition(min_neighbors=5, radius=0.02)


def described(folder: Path, source: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "patients.toml").write_text(description(BOUNDS, source=source, budget="epsilon = 9"))
    return folder / "patients.toml"


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    parquet.write_table(PATIENTS, tmp_path / "patients.parquet", row_group_size=500)
    return described(tmp_path, "patients.parquet")


@pytest.fixture(scope="module")
def visits(on_server: Any) -> str:
    """A table that the server knows, by a name that every session can use."""
    on_server.createDataFrame(PATIENTS).write.saveAsTable("visits", mode="overwrite")
    return "spark-table://visits"


def test_commands_at_a_server_give_the_answer_of_memory(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch, server: ConnectServer, patients: Path, visits: str
) -> None:
    table = described(patients.parent / "table", visits)
    for path in (patients, table):
        run(capsys, "budget", "open", path)
    there = ("--engine", "spark", "--master", server.master)
    here = answer(capsys, monkeypatch, "count", patients, *COUNT, "--engine", "memory")
    assert answer(capsys, monkeypatch, "count", patients, *COUNT, *there) == here
    assert answer(capsys, monkeypatch, "count", table, *COUNT, *there) == here


def count(session: eremite.Session) -> eremite.Release:
    return session.count_outliers(DEFINITION, epsilon=1)


def test_frames_and_files_at_a_server_give_the_answer_of_memory(
    monkeypatch: pytest.MonkeyPatch, on_server: Any, server: ConnectServer, patients: Path
) -> None:
    frame = on_server.createDataFrame(PATIENTS).repartition(3)
    engine = eremite.Engine(kind="spark", master=server.master)
    tables = [
        eremite.Table.from_frame(PATIENTS, BOUNDS),
        eremite.Table.from_frame(frame, BOUNDS),
        eremite.spark_table(frame, BOUNDS),
        eremite.open(patients, engine=engine)._table,
    ]
    assert len({library_answer(monkeypatch, table, count, 1).value for table in tables}) == 1


def test_server_that_is_down_is_one_sentence_and_charges_nothing(
    installed: None, capsys: Captured, patients: Path
) -> None:
    run(capsys, "budget", "open", patients)
    address = f"sc://127.0.0.1:{free_port()}"
    sentence = refused(
        capsys, "count", patients, *COUNT, "--engine", "spark", "--master", f"{address}/;token=SECRETWORD"
    )
    assert sentence == (
        f"Error: The Spark Connect server {address} does not answer; correct --master, or start the server.\n"
    )
    assert [event["event"] for event in run_json(capsys, "history", patients)] == ["opened"]


def test_session_that_the_server_has_ended_is_refused_before_the_charge(server: ConnectServer) -> None:
    opened = spark_connect.open_connect(server.master, {})
    session = eremite.Session(eremite.spark_table(opened.createDataFrame(PATIENTS), BOUNDS), epsilon=1)
    opened.client.release_session()
    assert "has ended the session; start it, then open the table again" in refused_by(lambda: count(session))
    assert session.remaining.epsilon == 1
    assert opened.client.get_retry_policies()  # as before


def test_cells_that_are_refused_do_not_come_back_with_an_error(
    capsys: Captured, server: ConnectServer, on_server: Any, tmp_path: Path
) -> None:
    cells = pa.table({"bmi": ["25", SECRET], "sugar": ["100", "31337.4242"]})
    on_server.createDataFrame(cells).write.saveAsTable("texts", mode="overwrite")
    path = described(tmp_path, "spark-table://texts")
    sentence = refused(capsys, "count", path, *COUNT, "--engine", "spark", "--master", server.master)
    assert "The table does not fit its description" in sentence


def test_tables_that_the_server_does_not_know_are_one_sentence(
    capsys: Captured, server: ConnectServer, tmp_path: Path
) -> None:
    path = described(tmp_path, "spark-table://absent")
    there = ("--engine", "spark", "--master", server.master)
    assert "Spark has no table 'absent'; correct the name." in refused(capsys, "count", path, *COUNT, *there)


def source_of(session: Any, rows: np.ndarray) -> SparkSource:
    return of_frame(work.frame_of(session, work.table(rows)), work.reading(rows.shape[1]))


def test_inputs_that_exceed_a_message_are_sent_in_several(on_server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    tiles = source_of(on_server, POINTS).cut([work.cut_of(POINTS)])
    monkeypatch.setattr(spark_connect, "MOST_SENT", 250)
    given = {tile: np.full(10, tile) for tile in range(8)}
    assert len(list(tiles._jobs(packed(given)))) > 2
    found = dict(tiles.each(work.size_and_input, given))
    assert {tile: one[1].tolist() for tile, one in found.items()} == {tile: [tile] * 10 for tile in range(8)}
    assert sum(size for size, _ in found.values()) == 4000
    tiles.close()


def test_process_that_ends_leaves_no_rows_at_the_server(server: ConnectServer) -> None:
    program = f"""
from tests.spark.test_connect import open_and_cut
tiles = open_and_cut({server.master!r})
"""
    before = settled(server.frames_kept)
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=60)
    wait_until(lambda: server.frames_kept() == before, "the tiles are removed")


def open_and_cut(master: str) -> Any:
    tiles = source_of(spark_connect.open_connect(master, {}), POINTS).cut([work.cut_of(POINTS)])
    assert work.found_in(tiles, range(8), 2)
    return tiles


@pytest.mark.slow
def test_server_that_is_killed_while_it_counts_fails_the_question(installed: None, tmp_path: Path) -> None:
    """The answer is lost and stays charged; no row is missing from one."""
    with running_connect_server(tmp_path) as server:
        opened = spark_connect.open_connect(server.master, {})
        opened.client.set_retry_policies([])  # or it takes ten minutes
        tiles = source_of(opened, POINTS).cut([work.cut_of(POINTS)])
        with (
            meanwhile(lambda: [kill(one) for one in server.processes("")]),
            pytest.raises(RuntimeError, match=r"^Spark could not finish its work on tiles; its logs say why\.$"),
        ):
            list(tiles.each(work.slow_rows_of, dict.fromkeys(range(8))))
