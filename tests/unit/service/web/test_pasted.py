"""Points out of pasted text."""

import pytest

from eremite import Table
from eremite.errors import InputError
from eremite.service.web.pasted import points_of
from eremite.table import Facts


@pytest.fixture(scope="module")
def facts() -> Facts:
    rows = {"bmi": [20.0, 30.0], "smokes": [True, False], "ward": [1, 2]}
    return Table.from_frame(rows, {"bmi": (10, 60), "smokes": (False, True)}, categories={"ward": (1, 2)}).facts


@pytest.mark.parametrize("mark", ["\t", ";", ",", " , "])
def test_lines_are_points(facts: Facts, mark: str) -> None:
    text = f"20.5{mark}true\n\n31{mark}false\r\n"
    assert points_of(text, ["bmi", "smokes"], facts) == [{"bmi": 20.5, "smokes": True}, {"bmi": 31.0, "smokes": False}]


def test_first_line_may_name_the_columns_in_any_order(facts: Facts) -> None:
    assert points_of("ward,bmi\n2,31", ["bmi", "ward"], facts) == [{"ward": 2, "bmi": 31.0}]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "at least one point"),
        ("bmi,ward", "below the line"),
        ("bmi\n31", "must name the columns chosen"),
        ("31", "Point 1 has 1 values; it needs 2"),
        ("3x,1", "Column 'bmi' of point 1"),
        ("31;1\n3,1;1", "Column 'bmi' of point 2"),
    ],
)
def test_mistake_is_told_in_a_sentence(facts: Facts, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        points_of(text, ["bmi", "ward"], facts)
