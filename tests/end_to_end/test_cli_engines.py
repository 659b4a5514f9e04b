"""`eremite` with another engine: the same answer, and one sentence for what does not fit."""

import json
import random
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import eremite
from eremite.errors import InputError
from eremite.mechanisms import entropy
from eremite.table import Engine, read_description
from eremite.tiles import opening
from eremite.tiles.files import FilesSource
from tests.end_to_end.command_line import Captured, refused, run
from tests.end_to_end.patients import description

BOUNDS = {"bmi": (10, 60), "sugar": (40, 400)}


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    rows = np.random.default_rng(1).normal([25, 100], [4, 20], (3000, 2))
    table = pa.table({"bmi": rows[:, 0], "sugar": rows[:, 1], "ward": ["A", "B", "C"] * 1000})
    parquet.write_table(table, tmp_path / "patients.parquet", row_group_size=500)
    ward = '\nward = { categories = ["A", "B", "C"] }\n[budget]'
    written = description(BOUNDS, budget="epsilon = 9").replace("patients.csv", "patients.parquet")
    (tmp_path / "patients.toml").write_text(written.replace("\n[budget]", ward))
    return tmp_path / "patients.toml"


def answer(capsys: Captured, monkeypatch: pytest.MonkeyPatch, *arguments: object) -> dict[str, object]:
    monkeypatch.setattr(entropy, "system_bits", random.Random(5).getrandbits)  # noqa: S311 -- a test's own
    code, out, err = run(capsys, *arguments, "--json")
    assert (code, err) == (0, "")
    return {name: value for name, value in json.loads(out).items() if name not in ("request_id", "time")}


QUESTIONS = {
    "count": ["count", "-k", 5, "-r", 0.02, "--epsilon", 1],
    "count in strata": ["count", "-k", 5, "-r", 0.02, "--within", "ward", "--epsilon", 1],
    "count by ward": ["count", "-k", 5, "-r", 0.02, "--by", "ward", "--epsilon", 1],
    "subspaces": ["subspaces", "-k", 5, "-r", 0.01, "--top", 1, "--size", 1, "--epsilon", 1],
}


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_files_give_the_answer_of_memory(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch, patients: Path, question: list[object]
) -> None:
    run(capsys, "budget", "open", patients)
    command, *options = question
    answers = [
        answer(capsys, monkeypatch, command, patients, *options, "--engine", engine) for engine in ("memory", "files")
    ]
    assert answers[0] == answers[1]


def test_a_description_can_name_the_engine(capsys: Captured, patients: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    honest = FilesSource.__init__
    monkeypatch.setattr(FilesSource, "__init__", lambda self, *a, **kw: made.append(kw) or honest(self, *a, **kw))
    patients.write_text(
        patients.read_text()
        + f'\n[engine]\nkind = "files"\nmemory = "1 GB"\nscratch = "{patients.parent}"\nresume = true\n'
    )
    assert run(capsys, "check", patients)[0] == 0
    assert made == [{"memory": 10**9, "scratch": patients.parent, "resume": True}]


def test_auto_takes_files_for_a_table_that_is_larger_than_its_memory(
    patients: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    described = read_description(patients)
    assert opening._kind(described, Engine(memory="64 MB")) == "memory"
    monkeypatch.setattr(opening, "shape_of", lambda path: (10**6, 2))
    assert opening._kind(described, Engine(memory="64 MB")) == "files"
    assert opening._kind(described, Engine(memory="1 GB")) == "memory"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--engine", "dask"], "engine must be one of auto, memory, files, spark."),
        (["--engine", "files", "--master", "local[2]"], 'master names a Spark cluster; give engine = "spark" with it.'),
        (["--engine", "files", "--max-low-rows", "0"], "max_low_rows must be a whole number from 1 to 4,294,967,296."),
    ],
)
def test_what_does_not_fit_is_one_sentence(capsys: Captured, patients: Path, options: list[str], sentence: str) -> None:
    count = ["count", patients, "-k", "5", "-r", "0.02", "--epsilon", "1"]
    assert refused(capsys, *count, *options) == f"Error: {sentence}\n"


def test_engine_of_a_description_is_checked(capsys: Captured, patients: Path) -> None:
    patients.write_text(patients.read_text() + '\n[engine]\nmemory = "much"\n')
    found = refused(capsys, "check", patients)
    assert found.endswith('engine does not fit: memory must be a size of 64 MB or more, such as "512 MB" or "2 GB".\n')
    patients.write_text(patients.read_text().replace('memory = "much"', 'resume = "yes"'))
    assert refused(capsys, "check", patients).endswith("engine does not fit: resume must be true or false.\n")


def test_text_files_are_not_read_piece_by_piece(capsys: Captured, patients: Path) -> None:
    source = patients.parent / "patients.csv"
    source.write_text("bmi,sugar,ward\n20,100,A\n")
    patients.write_text(patients.read_text().replace("patients.parquet", "patients.csv"))
    count = ["count", patients, "-k", "5", "-r", "0.02", "--epsilon", "1", "--engine", "files"]
    assert "cannot be read piece by piece; write it as a Parquet file" in refused(capsys, *count)


def test_low_rows_that_would_not_fit_are_refused_before_anything_is_charged(patients: Path) -> None:
    session = eremite.open(patients, engine=Engine(kind="files", max_low_rows=2**32))
    with session, pytest.raises(InputError, match=r"set a smaller max_low_rows"):
        session.count_outliers(eremite.OutlierDefinition(min_neighbors=5, radius=0.02), epsilon=1)
    assert str(session.remaining.epsilon) == "9"


def test_a_file_that_changes_after_the_charge_is_an_internal_error(patients: Path) -> None:
    with eremite.open(patients, engine="files") as session:
        source = patients.parent / "patients.parquet"
        source.write_bytes(source.read_bytes() + b" ")
        with pytest.raises(RuntimeError, match=r"^The rows could not be counted where they are\.$"):
            session.count_outliers(eremite.OutlierDefinition(min_neighbors=5, radius=0.02), epsilon=1)
        assert str(session.remaining.epsilon) == "8"


def test_a_screen_does_not_call_free_what_was_charged(patients: Path) -> None:
    with eremite.open(patients, engine="files") as session:
        definition = eremite.OutlierDefinition(min_neighbors=5, radius=0.02)
        screen = session.open_screen(definition, most_yes=1, epsilon=1)
        source = patients.parent / "patients.parquet"
        source.write_bytes(source.read_bytes() + b" ")
        with pytest.raises(RuntimeError, match=r"^The rows could not be counted where they are\.$") as caught:
            screen.ask([[25, 100]])
        assert caught.value.__cause__ is caught.value.__context__ is None
