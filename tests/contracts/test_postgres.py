"""What PostgreSQL alone can get wrong; the contract of all readers is in test_readers.py."""

import builtins
import sys
from typing import Any

import pytest

from eremite.table.numeric import float_columns
from eremite.table.postgres import read_postgres
from refusals import refused


@pytest.fixture(scope="module")
def people(postgres: str) -> str:
    import adbc_driver_postgresql.dbapi as driver

    with driver.connect(postgres, autocommit=True) as database, database.cursor() as cursor:
        cursor.execute("CREATE TABLE people (s text, n numeric, cash money, yes bool, small real, day date)")
        cursor.execute("INSERT INTO people VALUES ('SECRETCELL', 31337.4242, 1.5, true, 0.5, '2020-01-01')")
        cursor.execute("INSERT INTO people VALUES ('x', 'NaN', 2, false, 1, '2020-01-02')")
    return postgres


def refusal(url: str, query: str, name: str = "s") -> str:
    return refused(lambda: float_columns(read_postgres(url, query, [name]), [name], "the query"))


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("SELECT s FROM nowhere", "SQLSTATE 42P01): a table of the query does not exist"),
        ("SELECT nothing_here FROM people", "SQLSTATE 42703): a column of the query does not exist"),
        ("SELECT s FROM people WHERE", "SQLSTATE 42601): the query has a syntax error"),
        ("SELECT s::float8 AS s FROM people", "SQLSTATE 22P02): a value in the data does not fit"),
        ("SELECT 1/0 AS s FROM people", "SQLSTATE 22012): a value in the data does not fit"),
        ("SELECT 1; SELECT 2", "SQLSTATE 42601)"),
        (
            "WITH w AS (DELETE FROM people RETURNING s) SELECT s FROM w",
            "the query tries to change the database",
        ),
        ("SELECT nextval('none') AS s", "SQLSTATE 42P01)"),
        ("SELECT n AS other FROM people", "Column 's' is not in the PostgreSQL query, which has: 'other'"),
        ("SELECT n AS s, n AS s FROM people", "Column 's' is more than once"),
        (
            "SELECT cash AS s FROM people",
            "Column 's' of the PostgreSQL query is of type money; cast it to numeric",
        ),
        ("SELECT day AS s FROM people", "column 's' has 2 rows of type date32[day]"),
        ("SELECT n AS s FROM people", "column 's' has 1 row whose value is missing or not a finite number"),
    ],
)
def test_postgres_errors_are_one_sentence(people: str, query: str, words: str) -> None:
    assert words in refusal(people, query)


def test_postgres_is_read_only(people: str) -> None:
    refusal(people, "WITH w AS (DELETE FROM people RETURNING s) SELECT s FROM w")
    assert read_postgres(people, "SELECT count(*) AS c FROM people", ["c"]).to_pydict() == {"c": [2]}


def test_postgres_types_become_numbers(people: str) -> None:
    query = "SELECT n + 0.5 AS n, yes, small FROM people WHERE n <> 'NaN'"
    columns = float_columns(read_postgres(people, query, ["n", "yes", "small"]), ["n", "yes", "small"], "q")
    assert {name: values.tolist() for name, values in columns.items()} == {
        "n": [31337.9242],
        "yes": [1.0],
        "small": [0.5],
    }


def test_postgres_query_may_give_no_rows(people: str) -> None:
    assert read_postgres(people, "SELECT n FROM people WHERE false", ["n"]).num_rows == 0


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:SECRETWORD@localhost:1/x",
        "postgresql://u:SECRETWORD/tail@localhost:1/x",
        "postgresql://u:SECRETWORD@[/x",
        "postgres://u:a%zzSECRETWORD@localhost:1/x",
        "postgresql://nobody:SECRETWORD@/postgres?host=/nowhere",
    ],
)
def test_postgres_password_is_never_shown(url: str) -> None:
    pytest.importorskip("adbc_driver_postgresql")
    assert "PostgreSQL cannot be reached" in refusal(url, "SELECT 1 AS s")


def test_postgres_without_its_driver_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_driver(name: str, *rest: Any, **more: Any) -> Any:
        if name.startswith("adbc_driver_postgresql"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.delitem(sys.modules, "adbc_driver_postgresql.dbapi", raising=False)
    monkeypatch.setattr(builtins, "__import__", without_driver)
    assert "pip install 'eremite[postgres]'" in refusal("postgresql://u@h/d", "SELECT 1 AS s")
