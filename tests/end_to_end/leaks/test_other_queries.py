"""Of every other query, nothing that depends on the rows leaves but the value.

As in `test_count.py`, with seeds whose bits lead to the same values on both tables.
"""

import dataclasses
import logging
import warnings
from collections.abc import Callable
from datetime import timedelta
from itertools import count, islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eremite import BudgetRefused, InputError, OutlierDefinition, Release, Session
from eremite.mechanisms import entropy
from eremite.outliers import count_outliers
from eremite.queries.detection import DetectionPlan
from eremite.queries.explain import ExplainPlan
from eremite.queries.reach import Between
from eremite.queries.report import ReportPlan
from eremite.queries.screening import Screening
from eremite.queries.subspaces import SubspacesPlan
from eremite.session.screen import Screen
from tests.end_to_end.leaks.observer import Sight, seen_command, seen_error, seen_release, walked, watching
from tests.end_to_end.leaks.pairs import lead_pairs
from tests.end_to_end.leaks.tables import (
    DEFINITION,
    PAIRS,
    N,
    Pair,
    Rows,
    exact,
    neighbors,
    session_on,
    write_dataset,
    write_table,
)


def points(d: int) -> list[list[float]]:
    """Public: among rows of the neighbors, and far from all."""
    return [[place] * d for place in (0.1, 0.5, 0.9, 0.3, 0.11)]


def requests(d: int) -> dict[str, tuple[str, dict[str, Any]]]:
    """Every other query, by the method of a session and what it is asked."""
    one: dict[str, Any] = {"definition": DEFINITION, "epsilon": "0.5"}
    search = one | {"h": 2, "max_size": 2, "delta": "1e-6"}
    return {
        "subspaces": ("top_subspaces", search),
        "paper": ("top_subspaces", search | {"utility": "paper", "selection": "exponential"}),
        "dampened": ("top_subspaces", search | {"utility": "dampened"}),
        "zcdp": ("top_subspaces", search | {"h": d, "size": 1, "max_size": None, "delta": "0.1"}),
        "report": ("outlier_report", search),
        "points": ("detect_outliers", one | {"candidates": points(d), "h": 2}),
        "rows": ("detect_outliers", one | {"candidates": None, "h": 2}),
        "explain": ("explain_outlier", one | {"point": points(d)[:2], "h": 2, "max_size": 2}),
        "screen": ("open_screen", one | {"most_yes": 1}),
        "radius": ("choose_radius", {"min_neighbors": 3, "share": "0.2", "radii": [0.01, 0.1, 0.3], "epsilon": "0.5"}),
    }


@pytest.fixture(autouse=True)
def led(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts from both sides; all other draws are led by seeds."""
    lead_pairs(monkeypatch, 17)


QUERIES = list(requests(2))
Look = Callable[[Rows, str, list[int]], Sight]
WRONG: dict[str, list[dict[str, Any]]] = {
    "top_subspaces": [
        {"max_size": 9},
        {"size": 1, "max_size": 1},
        {"utility": "best"},
        {"selection": "first"},
        {"h": 0},
    ],
    "outlier_report": [{"max_size": 9}, {"h": 99}, {"delta": 1}],
    "detect_outliers": [{"candidates": [["many"]]}, {"candidates": [[0.5]]}, {"h": 0}, {"columns": ["weight"]}],
    "explain_outlier": [{"point": [["many"]]}, {"point": [0.5]}, {"h": 99}, {"max_size": 9}],
    "open_screen": [{"most_yes": 0}, {"columns": []}],
    "choose_radius": [{"share": 2}, {"radii": []}, {"min_neighbors": N}],
}
ALWAYS_WRONG: list[dict[str, Any]] = [
    {"epsilon": 0},
    {"epsilon": 19},
    {"definition": OutlierDefinition(min_neighbors=N, radius=0.02)},
]


def set_seed(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    source = np.random.default_rng(seed)
    monkeypatch.setattr(entropy, "system_bits", lambda n: int.from_bytes(source.bytes(8)) >> 64 - n)


def released(session: Session, method: str, request: dict[str, Any]) -> tuple[Release, Screen | None]:
    answer = getattr(session, method)(**request)
    return (answer.ask(points(len(session._table.columns))), answer) if isinstance(answer, Screen) else (answer, None)


def seeds_for(monkeypatch: pytest.MonkeyPatch, pair: Pair, query: str) -> list[int]:
    """The first seeds whose bits lead to the same value on both tables; also, every kernel is compiled after this."""
    method, request = requests(pair[0].shape[1])[query]

    def value(rows: Rows, seed: int) -> object:
        set_seed(monkeypatch, seed)
        return released(session_on(rows, "0.5"), method, request)[0].value

    return list(islice((seed for seed in count() if value(pair[0], seed) == value(pair[1], seed)), 3))


def seen_other_answer(session: Session, method: str, request: dict[str, Any]) -> Sight:
    """A release; of a screen also what it holds, and how it refuses when all yes are given or a point does not fit."""
    try:
        release, screen = released(session, method, request)
    except Exception as error:
        return seen_error(error)
    sight = seen_release(release)
    if screen is not None:
        sight += [line for line in walked(screen, "screen", hidden=False) if line[0] != "screen"]  # its address
        for wrong in ([["many"]], *([[[0.5] * len(release.columns)]] * (screen.yes_left == 0))):
            with pytest.raises((InputError, BudgetRefused)) as refused:
                screen.ask(wrong)
            sight += seen_error(refused.value)
    return sight


@pytest.fixture
def asker(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], in_turn: None) -> Look:
    """What an analyst sees of a table who asks any other query."""

    def look(rows: Rows, query: str, seeds: list[int]) -> Sight:
        sight: Sight = []
        method, request = requests(rows.shape[1])[query]
        with watching(capfd, sight):
            session = session_on(rows, "0.5")
            for seed in seeds:
                set_seed(monkeypatch, seed)
                sight += seen_other_answer(session, method, request)
            for change in WRONG[method] + ALWAYS_WRONG:
                sight += seen_other_answer(session, method, request | change)
            sight += walked(session, "session", hidden=False)
            sight += walked(session.remaining, "remaining", hidden=True)
        return sight

    return look


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("query", QUERIES)
def test_asker_sees_the_value_and_nothing_else(
    asker: Look, monkeypatch: pytest.MonkeyPatch, query: str, d: int, pair: Callable[[int], Pair]
) -> None:
    ours, theirs = pair(d)
    seeds = seeds_for(monkeypatch, (ours, theirs), query)
    sight = asker(ours, query, seeds)
    assert sight == asker(theirs, query, seeds)
    assert len([path for path, _ in sight if path == "release.value"]) == len(seeds)
    told = "".join(text for path, text in sight if path == "error")
    assert ("all of its 1 yes answers" in told) == (query == "screen")


OTHER_ARGUMENTS = {
    "subspaces": ["subspaces", "--max-size", "2", "--top", "2", "--delta", "1e-6"],
    "report": ["report", "--max-size", "2", "--top", "2", "--delta", "1e-6"],
    "points": ["detect", "points.csv", "--top", "2"],
    "rows": ["detect", "--rows", "--top", "2"],
    "explain": ["explain", "two.csv", "--max-size", "2", "--top", "2"],
}
OTHER_COMMANDS = [[], ["--json"], ["--epsilon", "0.8"], ["--epsilon", "0"], ["--top", "0"], ["-k", str(N)]]


@pytest.fixture
def other_reader(
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    still: Callable[[], None],
    in_turn: None,
    tmp_path: Path,
) -> Look:
    """What the command line prints about a table that is asked any other query, and how it refuses."""

    def look(rows: Rows, query: str, seeds: list[int]) -> Sight:
        sight: Sight = []
        still()
        write_dataset(tmp_path, rows)
        monkeypatch.chdir(tmp_path)
        write_table(Path("points.csv"), np.array(points(rows.shape[1])))
        write_table(Path("two.csv"), np.array(points(rows.shape[1])[:2]))
        command, *arguments = OTHER_ARGUMENTS[query]
        for seed in seeds:
            for changes in OTHER_COMMANDS:
                set_seed(monkeypatch, seed)
                request = [command, "rows.toml", *arguments, "-k", "3", "-r", "0.02", "--epsilon", "0.5", *changes]
                sight += seen_command(capfd, request, Path("rows.db"))
        return sight

    return look


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("d", [2, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("query", list(OTHER_ARGUMENTS))
def test_command_line_prints_other_values_and_nothing_else(
    other_reader: Look, monkeypatch: pytest.MonkeyPatch, query: str, d: int, pair: Callable[[int], Pair]
) -> None:
    ours, theirs = pair(d)
    seeds = seeds_for(monkeypatch, (ours, theirs), query)
    sight = other_reader(ours, query, seeds)
    assert sight == other_reader(theirs, query, seeds)
    assert [text for path, text in sight if path == "exit"] == ["0", "0", "3", "2", "2", "2"] * len(seeds)
    assert "drawn as the 2 " in "".join(text for _, text in sight)


def count_in(holder: Any, *arguments: Any) -> int:
    """The exact count of the rows that a method works on."""
    if isinstance(holder, Screening):
        return count_outliers(holder._part.points, DEFINITION)
    if isinstance(holder, Screen):
        return exact(holder._request.table)
    return exact(holder._table if isinstance(holder, Session) else arguments[0])


def wrapping(monkeypatch: pytest.MonkeyPatch, owner: object, name: str, leak: Callable[[int, Any], Any]) -> None:
    """A mutant whose function does something with the exact count on the way out."""
    original = getattr(owner, name)

    def leaking(*arguments: Any, **request: Any) -> Any:
        return leak(count_in(*arguments), original(*arguments, **request))

    monkeypatch.setattr(owner, name, leaking)


COMPUTING: dict[str, tuple[object, str]] = {
    "subspaces": (SubspacesPlan, "compute"),
    "report": (ReportPlan, "compute"),
    "points": (DetectionPlan, "compute"),
    "rows": (DetectionPlan, "compute"),
    "explain": (ExplainPlan, "compute"),
    "screen": (Screening, "answer"),
}
GIVING: dict[str, tuple[object, str]] = {
    "subspaces": (Session, "ask"),
    "report": (Session, "ask"),
    "points": (Session, "ask"),
    "rows": (Session, "ask"),
    "explain": (Session, "ask"),
    "screen": (Screen, "ask"),
}


class Carriers(tuple):  # type: ignore[type-arg]
    """Values with something in their luggage."""


def carriers(count: int, value: Any) -> Any:
    if isinstance(value, Between):
        return dataclasses.replace(value, value=carriers(count, value.value))
    carried = Carriers(value)
    carried.bound = count  # type: ignore[attr-defined]
    return carried


def parameters(count: int, release: Release) -> Release:
    return dataclasses.replace(release, parameters=(*release.parameters, ("settled", count)))


OTHER_MUTANTS: dict[str, tuple[dict[str, tuple[object, str]], Callable[[int, Any], Any]]] = {
    "print": (COMPUTING, lambda count, value: (print(count), value)[1]),  # noqa: T201
    "debug": (COMPUTING, lambda count, value: (logging.getLogger("eremite").debug("%s", count), value)[1]),
    "warning": (COMPUTING, lambda count, value: (warnings.warn(f"{count}", stacklevel=1), value)[1]),
    "luggage": (COMPUTING, carriers),
    "parameter": (GIVING, parameters),
    "mechanism": (GIVING, lambda count, release: dataclasses.replace(release, mechanism=f"draws of {count}")),
    "time": (
        GIVING,
        lambda count, release: dataclasses.replace(release, time=release.time + timedelta(microseconds=count)),
    ),
}


def tells(look: Look, monkeypatch: pytest.MonkeyPatch, leak: str, query: str) -> bool:
    """Whether neighbors look different, where the honest code draws the same values."""
    pair = neighbors(2)
    seeds = seeds_for(monkeypatch, pair, query)
    places, how = OTHER_MUTANTS[leak]
    wrapping(monkeypatch, *places[query], how)
    return look(pair[0], query, seeds) != look(pair[1], query, seeds)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("query", list(COMPUTING))
@pytest.mark.parametrize("leak", list(OTHER_MUTANTS))
def test_asker_tells_leaking_mutants(asker: Look, monkeypatch: pytest.MonkeyPatch, leak: str, query: str) -> None:
    assert tells(asker, monkeypatch, leak, query)


@pytest.mark.parametrize("query", list(OTHER_ARGUMENTS))
@pytest.mark.parametrize(
    "leak",
    ["time", *(pytest.param(leak, marks=pytest.mark.slow) for leak in ("print", "mechanism", "debug", "warning"))],
)
def test_other_reader_tells_leaking_mutants(
    other_reader: Look, monkeypatch: pytest.MonkeyPatch, leak: str, query: str
) -> None:
    assert tells(other_reader, monkeypatch, leak, query)
