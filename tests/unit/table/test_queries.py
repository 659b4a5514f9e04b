import pytest

from eremite.table.queries import is_one_select


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1",
        "  select a, b from t where s = 'x;y' ;\n",
        "WITH w AS (SELECT 1) SELECT * FROM w",
        '-- all; of them\nSELECT /* ; */ "odd;name" FROM t -- end;',
        "SELECT 'it''s; fine'",
    ],
)
def test_one_select_is_accepted(query: str) -> None:
    assert is_one_select(query)


@pytest.mark.parametrize(
    "query", ["", ";", "DELETE FROM t", "SELECT 1; SELECT 2", "SELECTED", "-- SELECT 1", "SELECT 1;; "]
)
def test_anything_else_is_refused(query: str) -> None:
    assert not is_one_select(query)
