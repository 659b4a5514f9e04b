import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from eremite.table.sqlite import read_sqlite
from tests.refusals import refused


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "a b?#.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (a, s)")
        connection.execute("INSERT INTO t VALUES (1, 'SECRETCELL'), (2.5, x'ff'), (31337.4242, CAST(x'ff' AS TEXT))")
        connection.commit()
    return path


def test_sqlite_gives_numbers_and_nulls(database: Path) -> None:
    table = read_sqlite(database, "SELECT s, a FROM t ORDER BY a", ["a", "s"])
    assert table.to_pydict() == {"a": [1.0, 2.5, 31337.4242], "s": [None, None, None]}
    assert read_sqlite(database, "SELECT a FROM t WHERE a < 0", ["a"]).num_rows == 0


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("SELECT a FROM nowhere", "no such table: nowhere"),
        ("SELECT unknown FROM t", "no such column: unknown"),
        ("SELECT a FROM t WHERE", "SQLITE_ERROR"),
        ("SELECT FROM t", "syntax error"),
        ("SELECT json(s) AS a FROM t", "SQLITE_ERROR"),
        ("SELECT a FROM t; SELECT a FROM t", "cannot answer"),
        ("WITH w AS (SELECT 1) DELETE FROM t", "SQLITE_READONLY"),
        ("SELECT a, a FROM t", "Column 'a' is more than once"),
        ("SELECT a AS b FROM t", "Column 'a' is not in the query on"),
    ],
)
def test_sqlite_errors_are_one_sentence(database: Path, query: str, words: str) -> None:
    sentence = refused(lambda: read_sqlite(database, query, ["a"]))
    assert words in sentence
    assert str(database) in sentence


def test_sqlite_file_is_not_created(tmp_path: Path) -> None:
    path = tmp_path / "none.db"
    assert f"{path} does not exist" in refused(lambda: read_sqlite(path, "SELECT 1 AS a", ["a"]))
    assert list(tmp_path.iterdir()) == []


def test_sqlite_refuses_another_kind_of_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.db"
    path.write_text("SECRETCELL,31337.4242\n" * 1000)
    assert "SQLITE_NOTADB" in refused(lambda: read_sqlite(path, "SELECT a FROM t", ["a"]))
