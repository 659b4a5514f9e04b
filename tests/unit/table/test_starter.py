import tomllib
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eremite.errors import InputError
from eremite.table import open_table, read_description, write_starter
from tests.refusals import refused
from tests.workbooks import write_sheet

ROWS = {
    "bmi": [22.5, 31337.4242],
    "name": ["SECRETCELL", "b"],
    "age": [3, 31337],
    "born": [date(1913, 3, 7), date(1990, 1, 1)],
    "smoker": [True, False],
    "none": [None, None],
}
WRITERS = {
    "csv": pyarrow.csv.write_csv,
    "parquet": pyarrow.parquet.write_table,
    "feather": pyarrow.feather.write_feather,
    "arrow": pyarrow.feather.write_feather,
    "xlsx": lambda table, path: write_sheet(table.to_pydict(), path),
}


@pytest.mark.parametrize("ending", WRITERS)
def test_starter_names_numeric_columns_and_no_value(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"people.{ending}"
    WRITERS[ending](pa.table(ROWS), str(file))
    starter = write_starter(file)
    text = starter.path.read_text(encoding="utf-8")
    assert (starter.path, starter.numeric, starter.dates) == (tmp_path / "people.toml", ("bmi", "age"), ("born",))
    assert (starter.booleans, starter.texts, starter.other) == (("smoker",), ("name",), ("none",))
    assert 'bmi = { min = "?", max = "?" }\n' in text
    assert 'born = { min = "?", max = "?" }  # dates, such as 2020-01-31\n' in text
    assert "smoker = { min = false, max = true }\n" in text
    assert "name = { categories = [] }\n" in text
    assert "#   none\n" in text
    assert "# epsilon = 1.0" in text
    assert not [secret for secret in ("31337", "SECRETCELL", "1913") if secret in text]


def test_starter_unfilled_asks_for_the_bounds(tmp_path: Path) -> None:
    pyarrow.csv.write_csv(pa.table(ROWS), str(tmp_path / "people.csv"))
    starter = write_starter(tmp_path / "people.csv")
    sentence = refused(lambda: read_description(starter.path))
    assert f"{starter.path} still needs bounds for bmi, age and born;" in sentence


def test_starter_filled_in_opens_the_table(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "people.csv").write_text("bmi,age\n1,2\n")
    starter = write_starter(tmp_path / "data" / "people.csv", tmp_path / "desc.toml")
    starter.path.write_text(starter.path.read_text().replace('min = "?", max = "?"', "min = 0, max = 4"))
    assert open_table(read_description(starter.path)).points().tolist() == [[0.25, 0.5]]


@pytest.mark.parametrize(("given", "source"), [("data/parts", "data/parts/"), ("data/parts/*.parquet",) * 2])
def test_starter_of_a_folder_opens_its_files(tmp_path: Path, given: str, source: str) -> None:
    (tmp_path / "data" / "parts").mkdir(parents=True)
    for place, value in enumerate((1, 2.5)):
        pyarrow.parquet.write_table(pa.table({"a": [value]}), tmp_path / "data" / "parts" / f"{place}.parquet")
    assert write_starter(tmp_path / given).path == tmp_path / "data" / "parts.toml"
    starter = write_starter(tmp_path / given, tmp_path / "desc.toml")
    assert tomllib.loads(starter.path.read_text())["dataset"] == {
        "name": "parts",
        "source": source,
        "rows_per_person": 1,
    }
    starter.path.write_text(starter.path.read_text().replace('min = "?", max = "?"', "min = 0, max = 5"))
    assert open_table(read_description(starter.path)).points().tolist() == [[0.2], [0.5]]


def test_starter_never_overwrites(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("bmi\n1\n")
    (tmp_path / "people.toml").write_text("mine")
    assert "exists already" in refused(lambda: write_starter(tmp_path / "people.csv"))
    assert (tmp_path / "people.toml").read_text() == "mine"
    nowhere = tmp_path / "none" / "x.toml"
    assert f"{nowhere} cannot be written" in refused(lambda: write_starter(tmp_path / "people.csv", nowhere))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("name\nSECRETCELL\n", "has no numeric column"),
        ("bmi,bmi\n1,2\n", "Column 'bmi' is more than once"),
        ("31337.4242,SECRETCELL\n1,b\n", "does not look like column names"),
        ("bmi,age\n", "no rows to judge their types by"),
        ("bmi,age\n1,2\n31337.4242\n", "some row does not have the 2 fields of the first line"),
        ("bmi;SECRETCELL\n1;2\n", '--separator ";"'),
    ],
)
def test_starter_needs_named_numeric_columns(tmp_path: Path, content: str, words: str) -> None:
    (tmp_path / "people.csv").write_text(content)
    assert words in refused(lambda: write_starter(tmp_path / "people.csv"))
    assert not (tmp_path / "people.toml").exists()


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, unique=True), st.integers(0, 5))
def test_starter_quotes_any_column_name(names: list[str], texts: int) -> None:
    columns = {name: ["x"] if place < texts else [1] for place, name in enumerate(names)}
    with TemporaryDirectory() as folder:
        file = Path(folder) / "people.arrow"
        pyarrow.feather.write_feather(pa.table(columns), str(file))
        if texts >= len(names):
            with pytest.raises(InputError, match="no numeric column"):
                write_starter(file)
            return
        starter = write_starter(file)
        written = tomllib.loads(starter.path.read_text(encoding="utf-8"))
        assert list(written["columns"]) == [*starter.numeric, *starter.texts] == [*names[texts:], *names[:texts]]
        filled = starter.path.read_text(encoding="utf-8").replace('{ min = "?", max = "?" }', "{ min = 0, max = 1 }")
        filled = "\n".join(line for line in filled.split("\n") if "= { categories = [] }" not in line)
        starter.path.write_text(filled, encoding="utf-8", newline="")
        assert open_table(read_description(starter.path)).columns == tuple(names[texts:])
