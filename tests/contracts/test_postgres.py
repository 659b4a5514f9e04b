"""What PostgreSQL alone can get wrong; the contract of all readers is in test_readers.py."""

import builtins
import sys
from datetime import date
from typing import Any
from unittest.mock import Mock

import pyarrow as pa
import pytest

from eremite.errors import InputError, TableError
from eremite.table import Table, cells
from eremite.table.numeric import float_columns
from eremite.table.postgres import read_postgres
from tests.refusals import refused


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
        ("SELECT day AS s FROM people", "column 's' is of type date32[day], which is not a number"),
        ("SELECT n AS s FROM people", "column 's' has cells that are missing or not a number"),
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


HOSTILE = ["0.50000000000000000001", "12.3456", "1e-200", "1e400", "NaN", "Infinity", "-0", None]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_one_numeric_changes_no_other_row(postgres: str, hostile: str | None) -> None:
    """Neither in its column nor in another one; every other cell is the float64 nearest to its number."""
    cell = "NULL" if hostile is None else f"'{hostile}'"
    rows = f"SELECT {cell}::numeric AS n, 1::bigint AS i UNION ALL SELECT c::numeric / 100, 9007199254740993 + c"
    query = f"SELECT n, i FROM ({rows} FROM generate_series(0, 1599) AS c) AS t ORDER BY i"
    table = read_postgres(postgres, query, ["n", "i"])
    assert cells.from_arrow(table.column("n"))[1:].tolist() == [cents / 100 for cents in range(1600)]
    assert cells.from_arrow(table.column("i"))[1:].tolist() == [float(2**53 + 1 + c) for c in range(1600)]


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("SELECT s FROM nowhere", InputError),
        ("SELECT s FROM people WHERE", InputError),
        ("WITH w AS (DELETE FROM people RETURNING s) SELECT s FROM w", InputError),
        ("SELECT n AS other FROM people", InputError),
        ("SELECT s::float8 AS s FROM people", TableError),
        ("SELECT 1 / (n - 31337.4242) AS s FROM people", TableError),
        ("SELECT day AS s FROM people", TableError),
        ("SELECT n AS s FROM people", TableError),
    ],
)
def test_postgres_errors_that_may_come_of_a_row_are_for_the_custodian(
    people: str, query: str, kind: type[InputError]
) -> None:
    with pytest.raises(InputError) as caught:
        float_columns(read_postgres(people, query, ["s"]), ["s"], "the query")
    assert type(caught.value) is kind


def test_postgres_error_while_rows_are_fetched_is_for_the_custodian(
    people: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver has errors of its own without an SQLSTATE, also once it is connected."""
    import adbc_driver_postgresql.dbapi as driver

    status = driver.adbc_driver_manager.AdbcStatusCode.INTERNAL
    for error in (driver.InternalError("SECRETCELL", status_code=status), pa.ArrowInvalid("SECRETCELL")):
        monkeypatch.setattr(driver.Cursor, "fetch_arrow_table", Mock(side_effect=error))
        with pytest.raises(TableError, match="rows that cannot be read"):
            read_postgres(people, "SELECT s FROM people", ["s"])
        assert "rows that cannot be read" in refusal(people, "SELECT s FROM people")


def test_infinite_numbers_and_times_are_clipped(postgres: str) -> None:
    signs = ("infinity", "-infinity", None)
    rows = " UNION ALL ".join(
        f"SELECT {i} AS i, {sign}::numeric AS n, {sign}::date AS d, {sign}::timestamp AS t, {sign}::timestamptz AS z"
        for i, sign in enumerate("NULL" if sign is None else f"'{sign}'" for sign in signs)
    )
    names = ["n", "d", "t", "z"]
    table = read_postgres(postgres, f"SELECT * FROM ({rows}) AS r ORDER BY i", names)
    days = (date(2020, 1, 1), date(2021, 1, 1))
    bounds = {"n": (0, 1), "d": days, "t": days, "z": days}
    made = Table.from_frame(table, bounds, missing=dict.fromkeys(names, "leave-out"), time_zone="Europe/Berlin")
    assert made.points().tolist() == [[1.0] * 4, [0.0] * 4]


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
