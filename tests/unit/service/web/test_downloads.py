"""Spreadsheets do not run what a downloaded cell holds."""

import pytest

from eremite.service.web.downloads import csv_text, file_response, plain_cell


@pytest.mark.parametrize(
    ("cell", "plain"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@x", "'@x"),
        ("a;=1+1", "a;'=1+1"),
        ("a, =1+1", "a, '=1+1"),
        ("a\n=1+1", "a\n'=1+1"),
        ("\uff1d1+1", "'\uff1d1+1"),
        ("  =1", "  '=1"),
        ("a-b", "a-b"),
        ("page-1", "page-1"),
        (-3, -3),
    ],
)
def test_cell_is_no_formula(cell: object, plain: object) -> None:
    assert plain_cell(cell) == plain


def test_names_of_columns_are_no_formulas_either() -> None:
    assert csv_text(["=x"], [{"=x": "=y"}]) == '"\'=x"\r\n"\'=y"\r\n'


def test_name_of_a_file_is_plain() -> None:
    response = file_response("", "text/csv", 'a"\r\nSet-Cookie: x/../ä.csv')
    assert response.headers["content-disposition"] == 'attachment; filename="a-Set-Cookie-x-..-.csv"'
