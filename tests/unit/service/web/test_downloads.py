"""Spreadsheets do not run what a downloaded cell holds."""

from eremite.service.web.downloads import csv_text, file_response


def test_cells_and_names_of_columns_are_no_formulas() -> None:
    assert csv_text(["=x"], [{"=x": "=y"}]) == '"\'=x"\r\n"\'=y"\r\n'


def test_name_of_a_file_is_plain() -> None:
    response = file_response("", "text/csv", 'a"\r\nSet-Cookie: x/../ä.csv')
    assert response.headers["content-disposition"] == 'attachment; filename="a-Set-Cookie-x-..-.csv"'
