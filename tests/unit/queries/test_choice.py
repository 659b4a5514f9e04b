from fractions import Fraction
from math import log

import numpy as np
import pytest

from eremite import InputError, OutlierDefinition, Privacy, SubspacesQuery, Table
from eremite.queries.choice import NAMES, both_sides, by_name, chosen, for_bound, is_pure, narrowest, typical_growth
from eremite.sensitivity.relation import Relation


def pure(epsilon):
    return Privacy(Fraction(epsilon))


def moved_by(most):
    """A relation and a k for which one row moves a count by at most so much, in any number of columns."""
    return {"relation": Relation("replace", most), "min_neighbors": most}


def test_names_are_exactly_these():
    assert NAMES == (
        "auto",
        "reach",
        "reach-pair",
        "smooth-laplace",
        "global-laplace",
        "reach-gaussian",
        "gaussian",
        "gaussian-paper",
        "global-gaussian",
    )
    assert [name for name in NAMES[1:] if is_pure(name)] == ["reach", "reach-pair", "smooth-laplace", "global-laplace"]


def test_reach_is_chosen_where_covers_are_tight_or_a_smooth_bound_is_wide():
    def of(epsilon, columns):
        return chosen(pure(epsilon), columns=columns, **moved_by(100))

    assert {of(epsilon, columns) for epsilon in ("0.000001", "1", "20") for columns in (1, 4)} == {"reach"}
    last = {
        (epsilon, columns) for epsilon, some in (("2", (5, 6)), ("1", (7, 9)), ("0.4", (10, 24))) for columns in some
    }
    assert {of(*one) for one in last} == {"reach"}
    for epsilon, columns in (("2.01", 5), ("1.01", 7), ("0.41", 10), ("20", 24), ("0.1", 25), ("0.1", 10_000)):
        assert of(epsilon, columns) == narrowest(pure(epsilon), columns=columns, **moved_by(100)) != "reach"
    assert chosen(Privacy(Fraction(1), Fraction(1, 10**6)), columns=8, **moved_by(100)) == "reach"


@pytest.mark.parametrize("neighbors", ["replace", "add-remove"])
def test_both_sides_are_drawn_where_they_take_little(neighbors):
    """The rule that docs/mechanisms.md prints, by public facts: N, or about how many rows there are."""
    taken = {
        (rows, d): both_sides(Relation(neighbors, rows), d, 1e-4)
        for rows in (1, 500_000, 500_001, 10**9)
        for d in (1, 3, 4, 6, 7)
    }
    assert all(taken[rows, d] for rows, d in taken if d <= 3)
    assert all(taken[rows, d] == (rows <= 500_000) for rows, d in taken if 3 < d <= 6)
    assert not any(taken[rows, d] for rows, d in taken if d > 6)
    for d, radius, rows in (
        (2, 0.1, 3 * 10**6),
        (3, 0.3, 600_000),
        (3, 0.9, 10**6),
    ):  # too many rows are near each other
        assert both_sides(Relation(neighbors, rows), d, radius)
        assert not both_sides(Relation(neighbors, 10 * rows), d, radius)
    assert both_sides(Relation(neighbors, 10**9), 1, 0.9)


@pytest.mark.parametrize(
    ("epsilon", "n", "d", "k", "name"),
    [
        ("0.2", 20_000, 8, 5, "smooth-laplace"),
        ("1", 20_000, 2, 5, "smooth-laplace"),
        ("0.1", 20_000, 2, 5, "smooth-laplace"),
        ("0.05", 20_000, 2, 5, "global-laplace"),
        ("1", 20_000, 1, 5, "smooth-laplace"),
        ("0.5", 20_000, 1, 5, "global-laplace"),  # one row moves at most 11
        ("20", 20_000, 1, 1, "global-laplace"),  # one row moves at most 3, and in most tables it does
        ("0.2", 3, 2, 2, "global-laplace"),
        ("0.001", 20_000, 2, 5, "global-laplace"),  # a bound that may change so little is the global one
        ("0.000001", 20_000, 8, 5, "global-laplace"),
    ],
)
def test_global_noise_is_chosen_where_a_typical_bound_is_hardly_smaller(epsilon, n, d, k, name):
    assert narrowest(pure(epsilon), Relation("replace", n), d, k) == name


@pytest.mark.parametrize("columns", [1, 2, 8])
@pytest.mark.parametrize("most", [2, 13, 100, 1206])
@pytest.mark.parametrize("epsilon", ["0.001", "0.03", "0.1", "0.5", "3", "20"])
def test_choice_is_the_narrower_interval_of_a_typical_table(epsilon, most, columns):
    """Is less than 5 % of smooth noise, at its typical bound, beyond the ln 20 GS / epsilon of Laplace noise?"""
    noise, width = by_name("smooth-laplace", pure(epsilon)), log(20) / float(epsilon) * most
    growth = typical_growth(columns)
    bound = max(noise.decay**t * min(growth * (t + 1), most) for t in range(most))
    narrower = float(noise.tail(Fraction(width) / bound)) < 0.05
    assert narrowest(pure(epsilon), columns=columns, **moved_by(most)) == (
        "smooth-laplace" if narrower else "global-laplace"
    )


def test_delta_opens_the_choice_to_gaussian_noise():
    privacy = Privacy(Fraction(1, 1000), Fraction(1, 2))
    assert narrowest(privacy, columns=2, **moved_by(100)) in ("gaussian", "global-gaussian")
    assert narrowest(Privacy(Fraction(1, 1000)), columns=2, **moved_by(100)) == "global-laplace"


def test_gaussian_noise_that_does_not_hold_is_passed_over():
    """The theorem of global-gaussian fails for a large epsilon; auto still answers."""
    assert narrowest(Privacy(Fraction(20), Fraction(1, 10**6)), columns=2, **moved_by(100)) == "smooth-laplace"


def test_bounds_that_take_too_long_a_search_are_passed_over_and_refused():
    """Tiny epsilons where rows come and go list the square of their inverse: known before anything is charged."""
    relation, tiny = Relation("add-remove", 30), pure("0.001")
    assert narrowest(tiny, relation, 40, 5) == "global-laplace"
    for_bound("global-laplace", tiny, relation, 40, 5)
    for_bound("smooth-laplace", pure("0.1"), relation, 40, 5)
    with pytest.raises(InputError, match=r"ask for a larger epsilon, or choose reach or global-laplace\.$"):
        for_bound("smooth-laplace", tiny, relation, 40, 5)


def test_searches_fall_back_to_the_papers_score_where_bounds_take_too_long():
    """Known before anything is charged; whoever asks for the center is told."""
    names = [f"c{i}" for i in range(45)]
    rows = np.random.default_rng(1).random((40, len(names)))
    table = Table.from_frame(rows, bounds=dict.fromkeys(names, (0, 1)), neighbors="add-remove", rows_about=40)
    fields = {"definition": OutlierDefinition(min_neighbors=5, radius=0.1), "h": 1, "size": 3}
    assert SubspacesQuery(epsilon=1, **fields).plan(table).utility == "centered"
    wide = fields | {"size": None, "subspaces": [names[:40], names[1:41], *(names[i : i + 3] for i in range(40))]}
    assert SubspacesQuery(epsilon=1, utility="centered", **wide).plan(table).utility == "centered"
    large = fields | {"size": 42}
    assert [SubspacesQuery(epsilon=e, **large).plan(table).utility for e in (1, "0.001")] == ["centered", "paper"]
    with pytest.raises(InputError, match=r"choose the utility paper or smaller sets\.$"):
        SubspacesQuery(epsilon="0.001", utility="centered", **wide).plan(table)
