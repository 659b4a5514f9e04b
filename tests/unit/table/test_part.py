"""Which rows take part in a question, in which stratum and in which group."""

import itertools
from typing import Any

import numpy as np
import pytest

from eremite.errors import InputError
from eremite.table import Categories, Part, Table
from tests.refusals import refused

A = [0.1, None, 0.3, 0.4, None, 0.6, 0.7, 0.8]
B = [0.5, 0.5, None, 0.5, 0.5, 0.1, 0.2, 0.3]
WARD = ["B", "A", "A", "C", "B", None, "A", "B"]
SEX = [1, 0, 1, 1, 0, 0, 0, 1]


def table(rows: int = len(A), **facts: Any) -> Table:
    data = {"a": A[:rows], "b": B[:rows], "ward": WARD[:rows], "sex": SEX[:rows]}
    categories = {"ward": Categories(("A", "B"), other="keep", missing="leave-out"), "sex": [False, True]}
    rules = {"a": "leave-out", "b": 0.25}
    return Table.from_frame(data, {"a": (0, 1), "b": (0, 1)}, categories=categories, missing=rules, **facts)


def by_definition(columns: list[str], within: list[str]) -> list[tuple[int, list[int]]]:
    """The code and the rows of each stratum that has rows."""
    codes = {"ward": [{"A": 0, "B": 1, None: None}.get(ward, 2) for ward in WARD], "sex": SEX}
    rows = [
        i for i in range(len(A)) if not ("a" in columns and A[i] is None) and not ("ward" in within and WARD[i] is None)
    ]
    strata: dict[int, list[int]] = {}
    for i in rows:
        code = 0
        for name in within:
            code = code * {"ward": 3, "sex": 2}[name] + codes[name][i]
        strata.setdefault(code, []).append(i)
    return sorted(strata.items())


def rows_of(columns: list[str], places: list[int]) -> list[list[float]]:
    filled = {"a": A, "b": [0.25 if value is None else value for value in B]}
    return [[filled[name][i] for name in columns] for i in places]


def check(part: Part, columns: list[str], strata: list[tuple[int, list[int]]]) -> None:
    places = [place for _, rows in strata for place in rows]
    assert (list(range(len(places))) if part.places is None else part.places.tolist()) == places
    assert part.points.tolist() == rows_of(columns, places)
    assert part.points.shape == (len(places), len(columns))
    assert part.strata.tolist() == [code for code, _ in strata]
    assert part.starts.tolist() == [0, *itertools.accumulate(len(rows) for _, rows in strata)]
    assert part.points.flags.c_contiguous
    assert (part.starts.dtype, part.strata.dtype) == (np.intp, np.int64)
    for array in (part.points, part.starts, part.places, part.strata):
        assert array is None or not array.flags.writeable


@pytest.mark.parametrize("columns", [["a"], ["b"], ["b", "a"]])
@pytest.mark.parametrize("within", [[], ["ward"], ["sex"], ["sex", "ward"], ["ward", "sex"]])
def test_part_has_the_rows_of_the_definition(columns: list[str], within: list[str]) -> None:
    check(table().part(columns, within), columns, by_definition(columns, within))


@pytest.mark.parametrize("within", [[], ["sex"]])
@pytest.mark.parametrize("by", [["ward"], ["sex", "ward"]])
def test_groups_are_the_parts_of_every_declared_combination(by: list[str], within: list[str]) -> None:
    of = table()
    groups, names = of.groups(["a"], by, within), of.group_names(by)
    strata = dict(by_definition(["a"], by))
    assert len(groups) == len(names) == {1: 3, 2: 6}[len(by)]
    for code, group in enumerate(groups):
        rows = strata.get(code, [])
        if within:
            found = [(sex, [i for i in rows if SEX[i] == sex]) for sex in (0, 1)]
            check(group, ["a"], [stratum for stratum in found if stratum[1]])
        else:
            check(group, ["a"], [(0, rows)])


def test_group_names_follow_the_declared_lists() -> None:
    of = table()
    assert of.group_names(["ward"]) == (("A",), ("B",), ("other",))
    assert of.group_names(["sex", "ward"])[:4] == ((False, "A"), (False, "B"), (False, "other"), (True, "A"))


def test_empty_table_has_every_group_and_no_stratum() -> None:
    of = table(rows=0)
    check(of.part(["a"]), ["a"], [(0, [])])
    check(of.part(["a"], ["ward"]), ["a"], [])
    assert [len(group.points) for group in of.groups(["a"], ["ward"])] == [0, 0, 0]


def test_many_codes_are_sorted_as_few_are() -> None:
    data = {"a": np.arange(300) / 300, "x": np.arange(300)[::-1] % 250, "y": np.arange(300) % 7}
    listed = {"x": list(range(250)), "y": list(range(250))}
    part = Table.from_frame(data, {"a": (0, 1)}, categories=listed).part(["a"], ["x", "y"])
    codes = data["x"] * 250 + data["y"]
    assert part.places.tolist() == np.argsort(codes, kind="stable").tolist()
    assert part.strata.tolist() == sorted(set(codes.tolist()))


def test_too_many_combinations_are_refused() -> None:
    data = {"a": [0.5]} | {f"x{i}": [0] for i in range(10)}
    table = Table.from_frame(data, {"a": (0, 1)}, categories={f"x{i}": list(range(101)) for i in range(10)})
    names = list(table.categories)
    assert "more than 10,000 groups" in refused(lambda: table.groups(["a"], names[:3]))
    assert "more than 10,000 groups" in refused(lambda: table.group_names(names[:3]))
    assert "too many combinations" in refused(lambda: table.part(["a"], names))
    assert table.part(["a"], names[:9]).strata.tolist() == [0]
    assert "too many combinations" in refused(lambda: table.groups(["a"], names[:1], names[1:]))


def test_points_and_column_leave_out_the_rows_without_a_value() -> None:
    of = table()
    assert of.points(["b", "a"]).tolist() == rows_of(["b", "a"], [0, 2, 3, 5, 6, 7])
    assert of.column("a").tolist() == [a for a in A if a is not None]
    assert of.column("b").tolist()[2] == 0.25
    assert of.n_rows == len(A)


@pytest.mark.parametrize(
    ("within", "words"),
    [
        (["a"], "Column 'a' is a coordinate; give it categories"),
        (["wad"], "Column 'wad' is not in the categories, which has: 'ward' and 'sex'"),
        (["sex", "sex"], "chosen more than once"),
        ("sex", "Give a list of columns with categories; the table has: 'ward' and 'sex'"),
        ([3], "Give a list of columns with categories"),
    ],
)
def test_within_must_be_declared_categories(within: Any, words: str) -> None:
    assert words in refused(lambda: table().part(["a"], within))
    assert words in refused(lambda: table().groups(["a"], within))


def test_within_needs_categories() -> None:
    plain = Table.from_frame({"a": [1.0], "ward": ["A"]}, {"a": (0, 1)})
    assert "in which no column has categories" in refused(lambda: plain.part(["a"], ["ward"]))
    assert "Column 'ward' has categories and no bounds" in refused(lambda: table().points(["ward"]))


def test_stratum_of_a_public_point_is_that_of_rows_like_it() -> None:
    of = table()
    name, first = of.columns[0], of.bounds[of.columns[0]].min

    def stratum(point: Any) -> int:
        located = of.locate([point] if isinstance(point, list) else point, [name], ["sex", "ward"])
        return int(located[1][0])

    strata = dict(by_definition([], ["sex", "ward"]))
    for code, rows in strata.items():
        sex, ward = SEX[rows[0]], WARD[rows[0]]
        assert stratum([first, sex, ward]) == code
        assert stratum({"ward": [ward], "sex": ["yes" if sex else "No"], name: [first]}) == code
    rows = ([first, "maybe", "A"], [first, None, "A"], [first, True, None], [first, True])
    named = ({name: [first], "sex": [1]}, {name: [first], "sex": [1], "ward": ["A"], "x": [1]})
    for values in (*rows, *named):
        refused(lambda values=values: stratum(values))


def test_number_of_rows_is_private_where_rows_come_and_go() -> None:
    few, more = (table(rows, neighbors="add-remove", rows_about=20) for rows in (7, 8))
    with pytest.raises(InputError, match="The number of rows is private"):
        _ = few.n_rows
    assert repr(few) == repr(more)
    assert few._repr_html_() == more._repr_html_()
    assert "rows_about=20" in repr(few)
    assert "neighbors='add-remove'" in repr(few)


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"neighbors": "add"}, 'neighbors must be "replace" or "add-remove"'),
        ({"neighbors": "add-remove"}, "needs rows_about, a public order of magnitude"),
        ({"neighbors": "add-remove", "rows_about": 0}, "rows_about must be a whole number, 1 or more"),
        ({"neighbors": "add-remove", "rows_about": 1e4}, "rows_about must be a whole number"),
        ({"rows_about": 20}, 'rows_about is for neighbors = "add-remove" alone'),
    ],
)
def test_relation_is_checked(facts: dict[str, Any], words: str) -> None:
    assert words in refused(lambda: table(**facts))
