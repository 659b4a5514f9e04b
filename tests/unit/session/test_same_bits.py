"""The same random bits give the same releases: how code is arranged must not move an answer.

The values were recorded before the queries became records. `conftest.same_draws` feeds every test the same bits.
"""

import numpy as np
import pytest

from eremite import OutlierDefinition, Session, Table
from eremite.queries.choice import narrowest

DEFINITION = OutlierDefinition(min_neighbors=4, radius=0.08)
COLUMNS = ["a", "b", "c", "d"]


def _table(rows_per_person: int = 1) -> Table:
    rng = np.random.default_rng(11)
    rows = rng.normal(rng.uniform(0.2, 0.8, (5, 4))[rng.integers(0, 5, 600)], 0.04)
    rows[:40] = rng.uniform(0, 1, (40, 4))
    return Table.from_frame(rows, dict.fromkeys(COLUMNS, (0, 1)), rows_per_person=rows_per_person)


COUNTS = [
    ({"epsilon": "1", "mechanism": "smooth-laplace"}, (37, "1", "0")),
    ({"epsilon": "0.1", "columns": ["a"], "mechanism": "global-laplace"}, (14, "1/10", "0")),
    ({"epsilon": "0.3", "columns": ["a", "c"], "mechanism": "smooth-laplace"}, (22, "3/10", "0")),
    ({"epsilon": "0.5", "mechanism": "smooth-laplace", "columns": ["b", "c", "d"]}, (32, "1/2", "0")),
    ({"epsilon": "0.5", "mechanism": "global-laplace"}, (69, "1/2", "0")),
    ({"epsilon": "0.5", "delta": "1e-6", "mechanism": "gaussian"}, (119, "1/2", "1/1000000")),
    ({"epsilon": "0.5", "delta": "1e-2", "mechanism": "gaussian-paper", "columns": ["a"]}, (47, "1/2", "1/100")),
    ({"epsilon": "0.5", "delta": "1e-2", "mechanism": "global-gaussian", "columns": ["a"]}, (11, "1/2", "1/100")),
]
SEARCHES = [
    ({"h": 2, "size": 2, "epsilon": "1"}, ((("b", "c"), ("a", "d")), "1", "0")),
    ({"h": 2, "max_size": 3, "epsilon": "2", "utility": "dampened"}, ((("a", "b", "c"), ("b", "c", "d")), "2", "0")),
    (
        {"h": 1, "subspaces": [["b", "a"], ["c"], ["d", "a"]], "epsilon": "1", "utility": "paper"},
        ((("a", "b"),), "1", "0"),
    ),
    (
        {"h": 6, "size": 2, "epsilon": "1", "delta": "1e-2"},
        ((("a", "b"), ("b", "d"), ("a", "d"), ("a", "c"), ("b", "c"), ("c", "d")), "1", "1/100"),
    ),
    (
        {"h": 2, "size": 3, "epsilon": "0.5", "selection": "exponential"},
        ((("b", "c", "d"), ("a", "b", "d")), "1/2", "0"),
    ),
]


def _ask(method: str, asked: dict, rows_per_person: int = 1):
    session = Session(_table(rows_per_person), epsilon=10, delta="1e-1")
    release = getattr(session, method)(DEFINITION, **asked)
    return release.value, str(release.epsilon), str(release.delta)


@pytest.mark.parametrize(("asked", "given"), COUNTS)
def test_count_is_the_same_for_the_same_bits(asked, given):
    assert _ask("count_outliers", asked) == given


@pytest.mark.parametrize(("asked", "given"), SEARCHES)
def test_search_is_the_same_for_the_same_bits(asked, given):
    assert _ask("top_subspaces", asked) == given


def test_report_is_the_same_for_the_same_bits(monkeypatch):
    """Its counts with a smooth bound: of a capped count, a solver may find one value or the next."""
    monkeypatch.setattr("eremite.queries.count.chosen", narrowest)
    assert _ask("outlier_report", {"h": 2, "size": 2, "epsilon": "2"}) == (
        ((("b", "c"), 38), (("a", "d"), 35)),
        "2",
        "0",
    )
    assert _ask("outlier_report", {"h": 1, "max_size": 2, "epsilon": "3"}, rows_per_person=2) == (
        ((("d",), 0),),
        "3",
        "0",
    )


def test_detection_is_the_same_for_the_same_bits():
    points = np.random.default_rng(5).uniform(0, 1, (30, 4))
    assert _ask("detect_outliers", {"candidates": points, "h": 4, "epsilon": "1"}) == ((7, 24, 11, 6), "1", "0")
    assert _ask("detect_outliers", {"candidates": None, "h": 3, "epsilon": "1"}) == ((298, 109, 54), "1", "0")
    asked = {"candidates": points[:, :2], "columns": ["d", "b"], "h": 2, "epsilon": "1"}
    assert _ask("detect_outliers", asked, rows_per_person=3) == ((22, 29), "1", "0")


def test_radius_is_the_same_for_the_same_bits():
    session = Session(_table(), epsilon=10)
    chosen = session.choose_radius(4, share="0.05", columns=["a", "b"], epsilon="1")
    assert chosen.definition == OutlierDefinition(min_neighbors=4, radius=0.05)
    listed = session.choose_radius(4, share="1/4", radii=[0.01, 0.02, 0.1, 0.3], epsilon="0.5")
    assert listed.definition == OutlierDefinition(min_neighbors=4, radius=0.3)


def test_screen_is_the_same_for_the_same_bits():
    screen = Session(_table(), epsilon=10).open_screen(DEFINITION, most_yes=3, epsilon="2", columns=["a", "b"])
    points = np.random.default_rng(6).uniform(0, 1, (20, 2))
    assert screen.ask(points[:5]).value == (False, False, False, False, True)
    assert screen.ask(points[5:]).value == (False, False, True, True)
