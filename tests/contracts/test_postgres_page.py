"""What docs/how-to/postgresql.md shows runs on a real server."""

import re
import shlex
from pathlib import Path

import pytest

from eremite.cli import main

PAGE = (Path(__file__).parents[2] / "docs/how-to/postgresql.md").read_text()


@pytest.fixture
def clinic(postgres: str) -> str:
    import adbc_driver_postgresql.dbapi as driver

    with driver.connect(postgres, autocommit=True) as database, database.cursor() as cursor:
        cursor.execute("CREATE TABLE patients (bmi float8, glucose numeric, visited date)")
        cursor.execute(
            "INSERT INTO patients SELECT 25 + 4 * sin(i), 100 + 20 * cos(i), DATE '2019-12-30' + i "
            "FROM generate_series(0, 1001) i"
        )
    return postgres


def test_postgres_page_shows_what_works(clinic: str, tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    [description] = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "patients.toml").write_text(re.sub(r"postgresql://[^\"]+", clinic, description))
    [count] = re.findall(r"^eremite count .*$", PAGE, re.MULTILINE)
    for line in ("eremite check patients.toml", re.sub(r"postgresql://\S+", f"'{clinic}'", count)):
        with pytest.raises(SystemExit) as ended:
            main(shlex.split(line)[1:])
        assert ended.value.code == 0, capsys.readouterr().err
    printed = capsys.readouterr().out
    assert "patients: 1,000 rows" in printed  # two visits lie before 2020
    assert "of 1,000 rows are outliers in bmi and glucose" in printed
    assert not list(tmp_path.glob("*.db"))  # the ledger is in the database
