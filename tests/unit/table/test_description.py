from collections.abc import Callable
from datetime import date, datetime
from fractions import Fraction
from pathlib import Path

import pytest
from pydantic import ValidationError

from eremite.table import Bounds, Categories, open_stand_in, open_table, read_description
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


ORDINARY = """
[dataset]
name = "patients"
source = "patients.csv"
stand_in = "public.csv"
missing_values = ["NA"]
time_zone = "Europe/Berlin"
neighbors = "add-remove"
rows_about = 20000

[columns]
glucose = { min = 0, max = 400, missing = "leave-out" }
age = { min = 0, max = 100, missing = 50.0 }
smoker = { min = false, max = true, missing = false }
admitted = { min = 2020-01-01, max = 2020-01-11T00:00:00 }
ward = { categories = ["A", "B"], other = "keep", missing = "leave-out" }
"""


def test_ordinary_columns_become_rules(toml: Write) -> None:
    description = read_description(toml(ORDINARY))
    rules = description.rules()
    assert list(description.bounds) == ["glucose", "age", "smoker", "admitted"]
    assert description.bounds["admitted"] == Bounds(date(2020, 1, 1), datetime(2020, 1, 11))
    assert dict(rules.missing) == {"glucose": "leave-out", "age": 50.0, "smoker": 0.0, "admitted": "refuse"}
    assert dict(rules.categories) == {"ward": Categories(("A", "B"), other="keep", missing="leave-out")}
    assert (rules.missing_values, rules.time_zone) == (("NA",), "Europe/Berlin")
    assert (description.dataset.neighbors, description.dataset.rows_about) == ("add-remove", 20000)


def test_table_and_stand_in_are_read_by_the_same_rules(toml: Write) -> None:
    path = toml(ORDINARY)
    rows = [" B ,NA,,yes,2020-01-03", ",100,25,NO,2020-01-05T23:30Z", "C,1e400,x,,2020-01-05"]
    text = "\n".join(["ward,glucose,age,smoker,admitted", *rows])
    for name in ("patients.csv", "public.csv"):
        (path.parent / name).write_text(text)
    description = read_description(path)
    for table in (open_table(description), open_stand_in(description)):
        assert table is not None
        assert table.points(["age", "smoker", "admitted"]).tolist() == [
            [0.5, 1.0, 0.2],
            [0.25, 0.0, (18_267 + 1 / 48 - 18_262) / 10],  # half past midnight in Berlin
            [0.5, 0.0, 0.4],
        ]
        assert table.part(["glucose"], ["ward"]).places.tolist() == [2]
        assert (table.neighbors, table.rows_about) == ("add-remove", 20000)
