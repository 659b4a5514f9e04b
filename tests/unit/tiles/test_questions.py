"""Every question about a table in tiles is answered, bit for bit, as about the same table in memory."""

import random

import numpy as np
import pytest

from eremite import InputError, OutlierDefinition, Session, Table, TableError
from eremite.mechanisms import entropy
from eremite.table.rules import CellRules
from tests.tiled import tiled

pytestmark = pytest.mark.long

RANDOM = np.random.default_rng(3)
ROWS = 700
PLAIN = OutlierDefinition(min_neighbors=4, radius=0.05)
IN_WARDS = OutlierDefinition(min_neighbors=3, radius=0.08, within=("ward",))
COLUMNS = {
    "a": np.where(RANDOM.random(ROWS) < 0.1, np.nan, np.round(RANDOM.normal(0.4, 0.1, ROWS), 2)),
    "b": np.concatenate([RANDOM.normal(0.5, 0.05, ROWS - 20), RANDOM.random(20)]),
    "c": RANDOM.integers(0, 30, ROWS) / 30,
    "ward": RANDOM.choice(["A", "B", "C", "elsewhere"], ROWS),
}
RULES = CellRules.of(
    dict.fromkeys("abc", (0.0, 1.0)),
    {"a": "leave-out"},
    {"ward": ["A", "B", "C", "elsewhere"]},
)
QUESTIONS = {
    "count": lambda s: s.count_outliers(PLAIN, epsilon=1),
    "count with small epsilon": lambda s: s.count_outliers(PLAIN, ["b", "c"], epsilon=0.1, mechanism="smooth-laplace"),
    "count with global noise": lambda s: s.count_outliers(PLAIN, ["a"], epsilon=0.2, mechanism="global-laplace"),
    "count in strata": lambda s: s.count_outliers(IN_WARDS, ["a", "b"], epsilon=1),
    "count by ward": lambda s: s.count_outliers_by(PLAIN, by="ward", columns=["b", "c"], epsilon=1),
    "count by ward in one column": lambda s: s.count_outliers_by(PLAIN, by="ward", columns=["a"], epsilon=4),
    "search": lambda s: s.top_subspaces(PLAIN, h=2, max_size=2, epsilon=2),
    "search by center": lambda s: s.top_subspaces(PLAIN, h=1, size=2, epsilon=2, utility="centered"),
    "search as in the paper": lambda s: s.top_subspaces(IN_WARDS, h=1, size=2, epsilon=2, utility="paper"),
    "report": lambda s: s.outlier_report(PLAIN, h=1, size=2, epsilon=3),
    "detect": lambda s: s.detect_outliers(
        PLAIN, candidates=[[0.4, 0.5], [0.9, 0.1]], h=1, columns=["a", "b"], epsilon=1
    ),
    "detect in strata": lambda s: s.detect_outliers(
        IN_WARDS, candidates={"b": [0.5, 0.2], "ward": ["A", "B"]}, h=1, columns=["b"], epsilon=1
    ),
    "explain": lambda s: s.explain_outlier(PLAIN, point=[0.4, 0.9, 0.5], h=2, max_size=2, epsilon=1),
    "radius": lambda s: s.choose_radius(4, share=0.05, radii=[0.01, 0.03, 0.1], epsilon=1),
    "radius in strata": lambda s: s.choose_radius(3, share=0.1, radii=[0.02, 0.1], within=["ward"], epsilon=1),
    "rows": lambda s: s.count_rows(["a"], epsilon=1),
}


def in_memory(neighbors):
    about = None if neighbors == "replace" else 1000
    return Table.from_columns(COLUMNS, RULES, 1, neighbors, about, place="the frame")


def elsewhere(neighbors):
    about = None if neighbors == "replace" else 1000
    return tiled(COLUMNS, RULES, neighbors=neighbors, rows_about=about, tile_bytes=2000)


def answer(monkeypatch, table, ask, seed):
    monkeypatch.setattr(entropy, "system_bits", random.Random(seed).getrandbits)  # noqa: S311 -- a test's own
    with Session(table, epsilon=100, expectations=False) as session:
        return ask(session)


WITH_ROWS_THAT_COME_AND_GO = ("count", "count in strata", "count by ward", "search", "radius", "rows")
CASES = [*((name, "replace") for name in QUESTIONS), *((name, "add-remove") for name in WITH_ROWS_THAT_COME_AND_GO)]


@pytest.mark.parametrize(("name", "neighbors"), CASES)
def test_answers_in_tiles_are_those_in_memory(monkeypatch, name, neighbors):
    one, other = (answer(monkeypatch, made(neighbors), QUESTIONS[name], 1) for made in (in_memory, elsewhere))
    assert one.value == other.value


def test_a_screen_says_the_same(monkeypatch):
    points = RANDOM.random((20, 2))
    said = []
    for table in (in_memory("replace"), elsewhere("replace")):
        ask = lambda s: s.open_screen(PLAIN, most_yes=3, columns=["a", "b"], epsilon=2).ask(points).value  # noqa: E731
        said.append(answer(monkeypatch, table, ask, 1))
    assert said[0] == said[1]


def test_rows_elsewhere_cannot_be_named_and_nothing_is_charged():
    with Session(elsewhere("replace"), epsilon=1) as session:
        with pytest.raises(InputError, match=r"^Rows that are not in memory have no numbers"):
            session.detect_outliers(PLAIN, candidates=None, h=1, epsilon=1)
        assert str(session.remaining.epsilon) == "1"


def test_facts_of_a_table_elsewhere_are_those_in_memory():
    for neighbors in ("replace", "add-remove"):
        assert elsewhere(neighbors).facts == in_memory(neighbors).facts
        assert repr(elsewhere(neighbors)) == repr(in_memory(neighbors))


def test_cells_are_refused_when_a_table_is_opened():
    with pytest.raises(TableError, match=r"^In the frame, column .a. has cells"):
        tiled({"a": [0.1, None]}, CellRules.of({"a": (0, 1)}))
