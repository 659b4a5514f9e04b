import pytest

from eremite.names import first_repeated, list_names, quote_name, show_name, without_formula


@pytest.mark.parametrize(
    ("names", "sentence"),
    [([], "no letters"), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c, d"], "a, b and c, d")],
)
def test_list_of_names_reads_as_in_a_sentence(names, sentence):
    assert list_names(names, "letters", most=3) == sentence


def test_list_that_is_too_long_ends_in_a_number():
    assert list_names(["a", "b", "c", "d"], "letters", most=3) == "a, b and 2 more letters"
    assert list_names(["a"] * 1500, "letters", most=2) == "a and 1,499 more letters"


def test_list_shows_each_name_as_it_is_told_to():
    assert list_names(["a\nb", "c"]) == "'a\\nb' and c"
    assert list_names(["a", "b"], show=quote_name) == "'a' and 'b'"


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31m", "\u202eb", ""])
def test_name_is_shown_on_one_line(name):
    assert show_name(name) == quote_name(name) == repr(name)
    assert show_name("blood, sugar") == "blood, sugar"


def test_long_name_is_cut():
    assert show_name("a" * 200) == "a" * 200
    assert show_name("a" * 201) == "a" * 199 + "…"
    assert show_name("\n" * 10**6, 20) == "'" + "\\n" * 8 + "\\…'"
    assert quote_name("a" * 38, 40) == repr("a" * 38)
    assert quote_name("a" * 10**6, 40) == f"'{'a' * 37}…'"


def test_first_name_that_occurred_before_is_found():
    assert first_repeated(["a", "b", "b", "a"]) == "b"
    assert first_repeated(["a", "b"]) is None
    assert first_repeated([]) is None


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1+1", "'=1+1"),
        ("\uff1d1+1", "'\uff1d1+1"),
        ("\uff20SUM(1)", "'\uff20SUM(1)"),
        ("a;=1+1", "a;'=1+1"),
        ("a;=1;-2", "a;'=1;'-2"),
        ('a; "=1"', 'a;\' "=1"'),
        ("a\t@x", "a\t'@x"),
        ("a\n+x", "a\n'+x"),
        (" =1", "' =1"),
        ("a|\uff0d1", "a|'\uff0d1"),
    ],
)
def test_cell_of_a_csv_file_is_no_formula_wherever_a_spreadsheet_cuts_it(cell: str, written: str) -> None:
    assert without_formula(cell) == written
    assert without_formula(written) == written


@pytest.mark.parametrize("cell", ["march", "a-b", "a, -1", "x=1", "", None, -1, 0.5])
def test_other_cells_of_a_csv_file_stay_as_they_are(cell: object) -> None:
    assert without_formula(cell) == cell
