import math
from itertools import islice

import numpy as np
import pytest

from eremite import InputError, OutlierDefinition, Table
from eremite.outliers import Subspaces, count_outliers_in_each
from tests.definition import outliers_by_definition

NAMES = ("a", "b", "c", "d")


def test_subspaces_of_a_size_are_all_and_only_those():
    family = Subspaces.of_size(NAMES, 2)
    assert list(family) == [("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")]
    assert family.count == 6


def test_subspaces_up_to_a_size_begin_with_single_columns():
    family = Subspaces.up_to(NAMES, 4)
    assert family.count == len(set(family)) == 15
    assert list(islice(family, 4)) == [("a",), ("b",), ("c",), ("d",)]


def test_subspaces_are_enumerated_lazily_and_counted_without_enumeration():
    family = Subspaces.up_to([f"c{i}" for i in range(200)], 100)
    assert family.count > 10**58
    assert next(iter(family)) == ("c0",)


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_family_exceeds_what_its_count_exceeds(n):
    names = [f"c{i}" for i in range(n)]
    for make in (Subspaces.of_size, Subspaces.up_to):
        for family in (make(names, size) for size in range(1, n + 1)):
            assert [family.exceeds(most) for most in range(300)] == [family.count > most for most in range(300)]
    assert Subspaces.listed(names, [[names[0]]]).exceeds(0)
    assert not Subspaces.listed(names, [[names[0]]]).exceeds(1)


def test_family_of_any_size_is_found_too_large_without_its_count(monkeypatch):
    """All sets of 10,000 columns: their number has 3,011 digits, and adding it up took seconds."""
    monkeypatch.setattr(math, "comb", lambda *_: pytest.fail("was counted in full"))
    names = [f"c{i}" for i in range(10_000)]
    assert Subspaces.up_to(names, 10_000).exceeds(10**15)
    assert Subspaces.of_size(names, 5_000).exceeds(10**15)


class Counted(str):
    """A name that counts how often it is compared with another one."""

    compared = 0

    def __eq__(self, other):
        Counted.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


@pytest.mark.parametrize(("letter", "sentence"), [("c", "'c0' occurs twice"), ("x", "'x0' is not in the table")])
def test_names_of_one_set_are_looked_at_once_each(letter, sentence):
    """20,000 names took ten seconds, 300,000 of them minutes: each was compared with all others."""
    names = [Counted(f"{letter}{i}") for _ in range(2) for i in range(1000)]
    Counted.compared = 0
    with pytest.raises(InputError, match=sentence):
        Subspaces.listed([f"c{i}" for i in range(1000)], [names])
    assert Counted.compared <= 4 * len(names)


def test_name_that_does_not_fit_is_shown_cut():
    with pytest.raises(InputError, match="not in the table") as refused:
        Subspaces.listed(NAMES, [["x" * 10**6]])
    assert len(str(refused.value)) < 200


def test_listed_subspaces_keep_their_order_and_take_the_tables_column_order():
    family = Subspaces.listed(NAMES, [["d", "a"], ["b"]])
    assert list(family) == [("a", "d"), ("b",)]
    assert family.count == 2


@pytest.mark.parametrize(
    ("chosen", "sentence"),
    [
        ([], "list of subspaces is empty"),
        ([["a"], ["b"], ["a"]], "listed more than once"),
        ([["a", "b"], ["b", "a"]], "listed more than once"),
        ([["a", "a"]], "'a' occurs twice"),
        ([["x"]], "'x' is not in the table"),
        ([[]], "one or more column names"),
        (["ab"], "one or more column names"),
        ([1], "one or more column names"),
        ([[["a"]]], "one or more column names"),
    ],
)
def test_listed_subspaces_that_do_not_fit_are_refused(chosen, sentence):
    with pytest.raises(InputError, match=sentence):
        Subspaces.listed(NAMES, chosen)


@pytest.mark.parametrize("size", [0, 5, -1, 1.0, True])
def test_subspace_size_must_fit_the_columns(size):
    with pytest.raises(InputError, match="from 1 to 4"):
        Subspaces.of_size(NAMES, size)
    with pytest.raises(InputError, match="from 1 to 4"):
        Subspaces.up_to(NAMES, size)


def test_subspaces_refuse_a_text_for_a_list_of_columns():
    with pytest.raises(InputError, match="list of names"):
        Subspaces.up_to("ab", 1)


def test_subspaces_refuse_repeated_columns():
    with pytest.raises(InputError, match="more than once"):
        Subspaces.of_size(["a", "a"], 1)


@pytest.mark.parametrize("size", [1, 4])
def test_counts_in_each_subspace_follow_the_definition(size):
    points = np.random.default_rng(3).integers(0, 6, (120, 4)) / 6
    table = Table.from_frame(points, bounds=dict.fromkeys(NAMES, (0, 1)))
    definition = OutlierDefinition(min_neighbors=8, radius=1 / 6)
    counted = dict(count_outliers_in_each(table, definition, Subspaces.up_to(NAMES, size)))
    assert counted == {
        subspace: outliers_by_definition(points[:, ["abcd".index(name) for name in subspace]], 8, 1 / 6)
        for subspace in Subspaces.up_to(NAMES, size)
    }
    assert list(counted) == list(Subspaces.up_to(NAMES, size))


def test_counts_in_one_subspace_use_all_cores_and_agree():
    points = np.random.default_rng(3).uniform(0, 1, (500, 2))
    table = Table.from_frame(points, bounds={"a": (0, 1), "b": (0, 1)})
    definition = OutlierDefinition(min_neighbors=2, radius=0.02)
    [(subspace, count)] = count_outliers_in_each(table, definition, Subspaces.listed(("a", "b"), [["a", "b"]]))
    assert (subspace, count) == (("a", "b"), outliers_by_definition(points, 2, 0.02))


def test_one_of_each_size_has_the_sizes_of_the_family():
    listed = Subspaces.listed(list("abcd"), [["a"], ["b"], ["c", "a", "d"]])
    for family in (listed, Subspaces.up_to(list("abcd"), 3), Subspaces.of_size(list("abcd"), 2)):
        some = family.one_of_each_size
        assert [len(one) for one in some] == sorted({len(one) for one in family})
        assert set(some) <= set(family)
