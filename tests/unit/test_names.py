import pytest

from eremite.names import cut_name, first_repeated, joined, joined_cut, shown_name


@pytest.mark.parametrize(
    ("parts", "sentence"), [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c, d"], "a, b and c, d")]
)
def test_parts_are_joined_as_in_a_sentence(parts, sentence):
    assert joined(parts) == joined_cut(parts, 3, "letters") == sentence


def test_list_that_is_too_long_ends_in_a_number():
    assert joined_cut(["a", "b", "c", "d"], 3, "letters") == "a, b and 2 more letters"
    assert joined_cut(["a"] * 1500, 2, "letters") == "a and 1,499 more letters"


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31m", "\u202eb", ""])
def test_name_is_shown_on_one_line(name):
    assert shown_name(name) == repr(name)
    assert shown_name("blood, sugar") == "blood, sugar"


def test_long_name_is_cut():
    assert cut_name("a\nb") == "'a\\nb'"
    assert cut_name("a" * 40) == repr("a" * 40)
    assert cut_name("a" * 10**6) == repr("a" * 40 + "...")


def test_first_name_that_occurred_before_is_found():
    assert first_repeated(["a", "b", "b", "a"]) == "b"
    assert first_repeated(["a", "b"]) is None
    assert first_repeated([]) is None
