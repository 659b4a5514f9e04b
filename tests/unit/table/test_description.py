from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from pydantic import ValidationError

from eremite.table import Bounds, open_table, read_description
from tests.refusals import refused

Write = Callable[[str], Path]

DATASET = '[dataset]\nname = "patients"\nsource = "patients.csv"\n'
COLUMNS = "[columns]\nbmi = { min = 10, max = 60 }\nglucose = { min = 40.5, max = 4e2 }\n"
BUDGET = "[budget]\nepsilon = 0.1\ndelta = 1e-6\n"
URL = "postgresql://alice:SECRETWORD@host/db"


@pytest.fixture
def toml(tmp_path: Path) -> Write:
    def write(text: str) -> Path:
        path = tmp_path / "patients.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_description_is_read_exactly(toml: Write) -> None:
    path = toml(DATASET + 'rows_per_person = 3\nstand_in = "public.parquet"\n' + COLUMNS + BUDGET)
    description = read_description(path)
    assert description.path == path
    assert description.source_path == path.parent / "patients.csv"
    assert description.stand_in_path == path.parent / "public.parquet"
    assert description.dataset.rows_per_person == 3
    assert description.bounds == {"bmi": Bounds(10, 60), "glucose": Bounds(40.5, 400)}
    assert description.budget is not None
    assert (description.budget.epsilon, description.budget.delta) == (Fraction(1, 10), Fraction(1, 10**6))


def test_description_defaults_are_plain(toml: Write) -> None:
    description = read_description(str(toml("\ufeff" + DATASET + COLUMNS + "[budget]\nepsilon = 2\n")))
    assert description.dataset.rows_per_person == 1
    assert description.stand_in_path is None
    assert description.budget is not None
    assert (description.budget.epsilon, description.budget.delta) == (2, 0)
    assert read_description(toml(DATASET + COLUMNS)).budget is None


def test_description_is_frozen(toml: Write) -> None:
    description = read_description(toml(DATASET + COLUMNS))
    with pytest.raises(ValidationError):
        description.budget = None  # type: ignore[misc]


def test_description_shows_no_password(toml: Write) -> None:
    path = toml(f'[dataset]\nname = "p"\nsource = "{URL}"\nquery = "SELECT 1 AS bmi"\n{COLUMNS}')
    assert "SECRETWORD" not in f"{read_description(path)!r} {read_description(path)}"


def test_description_file_must_be_there(tmp_path: Path) -> None:
    assert f"{tmp_path} is a folder" in refused(lambda: read_description(tmp_path))
    absent = tmp_path / "absent.toml"
    assert f"{absent} does not exist" in refused(lambda: read_description(absent))


@pytest.mark.parametrize("name", ["people.csv", "people.CSV.gz", "people.parquet"])
def test_description_is_not_the_data_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"SECRETCELL,31337.4242\n")
    sentence = refused(lambda: read_description(path))
    assert sentence == f"{path} is a data file; give its description instead, which eremite init writes."


def test_description_must_be_utf8(tmp_path: Path) -> None:
    path = tmp_path / "latin.toml"
    path.write_bytes(b'[dataset]\nname = "SECRETWORD caf\xe9"')
    assert f"{path} is not UTF-8" in refused(lambda: read_description(path))


def test_source_is_found_from_the_description(toml: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = toml(DATASET + COLUMNS)
    (path.parent / "patients.csv").write_text("glucose,bmi\n40.5,35\n")
    monkeypatch.chdir("/")
    table = open_table(read_description(path))
    assert table.points().tolist() == [[0.5, 0.0]]


def test_source_that_is_not_there_is_named(toml: Write) -> None:
    description = read_description(toml(DATASET + COLUMNS))
    assert f"{description.source_path} does not exist" in refused(lambda: open_table(description))
