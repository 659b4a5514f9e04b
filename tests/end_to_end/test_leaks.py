"""Nothing that depends on the rows leaves, but the value.

Two tables with as many rows are asked the same questions, with random bits that lead to the same values; clock and
request ids stand still. Whatever an analyst or the reader of a terminal can then see must be the same to the byte:
releases in every form, the session, errors and refusals, logs of every logger at every level, warnings, output, the
ledger file.
Mutants that leak in one of these ways are told apart by the same eyes.
"""

import dataclasses
import gc
import io
import logging
import os
import pickle
import sqlite3
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import chain, count, islice, repeat
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from eremite import BudgetRefused, InputError, OutlierDefinition, Release, Session, Table
from eremite.cli import main
from eremite.ledger import Cost
from eremite.ledger import ledger as ledger_module
from eremite.mechanisms import entropy
from eremite.outliers import count_outliers
from eremite.queries import CountQuery
from eremite.queries.count import plan_count
from eremite.queries.screening import Screening
from eremite.session import session as module
from eremite.session.screen import Screen

N = 40
TARGETS = (0, 17, N)  # clamped, inside, clamped
DEFINITION = OutlierDefinition(min_neighbors=3, radius=0.02)
MECHANISMS = ["smooth-laplace", "global-laplace", "gaussian", "gaussian-paper", "global-gaussian"]
Rows = np.ndarray[Any, np.dtype[np.float64]]
Pair = tuple[Rows, Rows]
Sight = list[tuple[str, str]]


def neighbors(d: int) -> Pair:
    """One row leaves a group of four, which are no outliers with it and three outliers without."""
    rows = np.random.default_rng(d).uniform(0.7, 1, (N, d))
    rows[:15] = 0.5
    rows[15:19] = 0.1
    other = rows.copy()
    other[15] = 0.5
    return rows, other


def strangers(d: int) -> Pair:
    """All rows alike, and all rows alone."""
    return np.full((N, d), 0.5), np.linspace(0, 1, N)[:, None].repeat(d, axis=1)


PAIRS = [neighbors, strangers]


def names(rows: Rows) -> list[str]:
    return [f"c{i}" for i in range(rows.shape[1])]


def table_of(rows: Rows) -> Table:
    return Table.from_frame(rows, bounds=dict.fromkeys(names(rows), (0.0, 1.0)))


def set_bits(monkeypatch: pytest.MonkeyPatch, first: int) -> None:
    """The uniform number with these 64 bits, and zeros after them."""
    bits = chain([first], repeat(0))
    monkeypatch.setattr(entropy, "system_bits", lambda n: next(bits))


def bits_for(monkeypatch: pytest.MonkeyPatch, rows: Rows, mechanism: str, target: int) -> int:
    """Bits that lead to this value, by bisection. They stay inside; also, every kernel is compiled after this."""
    table = table_of(rows)
    plan = CountQuery(definition=DEFINITION, epsilon="0.5", delta="1e-6", mechanism=mechanism).plan(table)
    low, high = 0, 2**64
    while True:
        middle = (low + high) // 2
        set_bits(monkeypatch, middle)
        value = plan.compute(table)
        if value == target:
            return middle
        low, high = (middle, high) if value < target else (low, middle)


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """The clock stands still; request ids count up, from 0 again when told so."""

    class Clock:
        @staticmethod
        def now(zone: object) -> datetime:
            return datetime(2026, 1, 1, tzinfo=UTC)

    def restart() -> None:
        numbers = count()
        monkeypatch.setattr(module, "uuid4", lambda: SimpleNamespace(hex=f"{next(numbers):032x}"))

    monkeypatch.setattr(ledger_module, "datetime", Clock)
    return restart


def ledger_text(path: Path) -> Sight:
    """Everything in a ledger's file and its witness; then they are gone, and the budget whole again."""
    sight = []
    if path.exists():
        with closing(sqlite3.connect(path)) as ledger:
            sight = [("ledger", line) for line in ledger.iterdump()]
    witness = path.with_suffix(".ledger-witness.json")
    if witness.exists():
        sight += [("witness", witness.read_text())]
    for file in [*path.parent.glob(f"{path.name}*"), *path.parent.glob(witness.name)]:
        file.unlink()
    return sight


@contextmanager
def eyes(capfd: pytest.CaptureFixture[str], sight: Sight) -> Iterator[None]:
    """What is logged by any logger at any level, warned of, or written to stdout and stderr, meanwhile."""
    capfd.readouterr()
    handle, enabled = logging.Logger.handle, logging.Logger.isEnabledFor

    def record(self: logging.Logger, record: logging.LogRecord) -> None:
        shown = f"{record.levelname} {record.name} {record.getMessage()} {record.pathname}:{record.lineno}"
        sight.append(("log", f"{shown} {record.exc_info!r} {record.stack_info!r}"))

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        logging.Logger.handle, logging.Logger.isEnabledFor = record, lambda self, level: True  # type: ignore[method-assign]
        gc.disable()  # what other tests left behind must not be warned of now
        try:
            yield
        finally:
            gc.enable()
            logging.Logger.handle, logging.Logger.isEnabledFor = handle, enabled  # type: ignore[method-assign]
    sight += [("warning", str(warning)) for warning in warned]
    sight += zip(("stdout", "stderr"), capfd.readouterr(), strict=True)


LEAVES = (int, str, bool, float, bytes, type(None), Fraction, datetime)


def walked(value: object, path: str, hidden: bool) -> Iterator[tuple[str, str]]:
    """Every attribute that can be reached, to the leaves; with `hidden` also those whose name starts with _."""
    yield path, f"{type(value)} {value!r} {value!s} {sys.getsizeof(value)}"
    if type(value) in LEAVES or path.count(".") > 4:
        return
    if isinstance(value, tuple | list):
        for place, item in enumerate(value):
            yield from walked(item, f"{path}.{place}", hidden)
    for name in sorted({*dir(value), *getattr(value, "__dict__", {})}):
        attribute = getattr(value, name) if hidden or not name.startswith("_") else None
        if not callable(attribute) and not name.startswith("__"):
            yield from walked(attribute, f"{path}.{name}", hidden)


def seen_release(release: Release) -> Sight:
    forms = [("json", release.to_json()), ("hash", str(hash(release))), ("pickle", repr(pickle.dumps(release)))]
    return [*walked(release, "release", hidden=True), *forms]


def seen_error(error: BaseException) -> Sight:
    """An error and those it travels with; of the traceback the text."""
    told = [("error", "".join(traceback.format_exception(error)))]
    for each in filter(None, (error, error.__cause__, error.__context__)):
        told.append(("error", f"{type(each)} {each} {each!r} {each.args!r} {vars(each)}"))
    return told


QUESTIONS: list[dict[str, Any]] = [
    {"epsilon": 0},
    {"epsilon": "many"},
    {"delta": 1},
    {"columns": ["weight"]},
    {"columns": []},
    {"mechanism": "exact"},
    {"mechanism": "gaussian", "delta": 0},
    {"definition": OutlierDefinition(min_neighbors=N, radius=0.02)},
    {"definition": OutlierDefinition(min_neighbors=3, radius=1)},
    {"epsilon": 19},
    {"delta": "0.9", "mechanism": "global-gaussian"},
]


def seen_answer(session: Session, **question: Any) -> Sight:
    request: dict[str, Any] = {"definition": DEFINITION, "epsilon": "0.5", "delta": "1e-6"} | question
    try:
        return seen_release(session.count_outliers(**request))
    except Exception as error:
        return seen_error(error)


@pytest.fixture
def analyst(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], still: Callable[[], None]
) -> Callable[[Rows, str], Sight]:
    """What an analyst sees of a table: its session, a release for each target, every error."""

    def look(rows: Rows, mechanism: str) -> Sight:
        sight: Sight = []
        still()
        bits = [bits_for(monkeypatch, rows, mechanism, target) for target in TARGETS]
        with eyes(capfd, sight):
            session = Session(table_of(rows), epsilon=10, delta="1e-5")
            for first in bits:
                set_bits(monkeypatch, first)
                sight += seen_answer(session, mechanism=mechanism)
            for question in QUESTIONS:
                sight += seen_answer(session, **question)
            sight += walked(session, "session", hidden=False)
            sight += walked(session.remaining, "remaining", hidden=True)
        return sight

    return look


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("d", [1, 2, 3, 8])
@pytest.mark.parametrize("mechanism", [*MECHANISMS, "auto"])
def test_analyst_sees_the_value_and_nothing_else(
    analyst: Callable[[Rows, str], Sight], mechanism: str, d: int, pair: Callable[[int], Pair]
) -> None:
    ours, theirs = pair(d)
    assert count_outliers(ours, DEFINITION) != count_outliers(theirs, DEFINITION)
    sight = analyst(ours, mechanism)
    assert sight == analyst(theirs, mechanism)
    assert [text for path, text in sight if path == "release.value"] == [
        f"{int} {target} {target} {sys.getsizeof(target)}" for target in TARGETS
    ]


DESCRIPTION = """
[dataset]
name = "rows"
source = "rows.csv"
[budget]
epsilon = 0.7
delta = 1e-5
[columns]
"""
ARGUMENTS = ["-k", "3", "-r", "0.02", "--epsilon", "0.5", "--delta", "1e-6"]
COMMANDS = [[], ["--json"], ["--epsilon", "0.8"], ["--epsilon", "0"], ["--columns", "weight"], ["-k", str(N)]]


def write_dataset(folder: Path, rows: Rows) -> None:
    columns = "".join(f"{name} = {{ min = 0, max = 1 }}\n" for name in names(rows))
    (folder / "rows.toml").write_text(DESCRIPTION + columns)
    write_table(folder / "rows.csv", rows)


def write_table(path: Path, rows: Rows) -> None:
    text = io.StringIO()
    np.savetxt(text, rows, delimiter=",", header=",".join(names(rows)), comments="", fmt="%.17g")
    path.write_text(text.getvalue())


def seen_command(capfd: pytest.CaptureFixture[str], request: list[str], ledger: Path) -> Sight:
    """What a command prints, how it exits, and what the ledger holds then."""
    sight: Sight = []
    with eyes(capfd, sight), pytest.raises(SystemExit) as stopped:
        main(request)
    return [*sight, ("exit", str(stopped.value.code)), *ledger_text(ledger)]


@pytest.fixture
def reader(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], still: Callable[[], None], tmp_path: Path
) -> Callable[[Rows, str], Sight]:
    """What the command line prints about a table, in text and JSON, how it refuses, and what the ledger keeps of it."""

    def look(rows: Rows, mechanism: str) -> Sight:
        sight: Sight = []
        still()
        write_dataset(tmp_path, rows)
        for target in TARGETS:
            first = bits_for(monkeypatch, rows, mechanism, target)
            for command in COMMANDS:
                set_bits(monkeypatch, first)
                request = ["count", str(tmp_path / "rows.toml"), *ARGUMENTS, "--mechanism", mechanism, *command]
                sight += seen_command(capfd, request, tmp_path / "rows.db")
        return sight

    return look


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("d", [1, 2, 3, 8])
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_command_line_prints_the_value_and_nothing_else(
    reader: Callable[[Rows, str], Sight], mechanism: str, d: int, pair: Callable[[int], Pair]
) -> None:
    ours, theirs = pair(d)
    sight = reader(ours, mechanism)
    assert sight == reader(theirs, mechanism)
    assert [text for path, text in sight if path == "exit"] == ["0", "0", "3", "2", "2", "2"] * len(TARGETS)
    assert "about 17 of 40 rows" in "".join(text for _, text in sight)


def exact(table: Table) -> int:
    return count_outliers(table.points(), DEFINITION)


def counting(leak: Callable[[int], object]) -> Callable[[pytest.MonkeyPatch], None]:
    """A mutant whose count does something with the exact one on the way."""

    def leaking(table: Table, plan: Any) -> int:
        leak(exact(table))
        return plan.compute(table)

    return lambda monkeypatch: monkeypatch.setattr(module, "compute_count", leaking)


def planning(leak: Callable[[int, Any], Any]) -> Callable[[pytest.MonkeyPatch], None]:
    """A mutant whose plan depends on the exact count."""

    def leaking(table: Table, *request: Any) -> Any:
        return leak(exact(table), lambda: plan_count(table, *request))

    return lambda monkeypatch: monkeypatch.setattr(module, "plan_count", leaking)


def answering(leak: Callable[[Session, int, Release], Release]) -> Callable[[pytest.MonkeyPatch], None]:
    """A mutant whose session, or release, holds the exact count."""
    original = Session.count_outliers

    def leaking(self: Session, *arguments: Any, **request: Any) -> Release:
        return leak(self, exact(self._table), original(self, *arguments, **request))

    return lambda monkeypatch: monkeypatch.setattr(Session, "count_outliers", leaking)


class Carrier(int):
    """A number with something in its luggage."""

    bound: int


class LargerRelease(Release):
    """A release with room for more."""


def carrier(value: int, count: int) -> Carrier:
    carried = Carrier(value)
    carried.bound = count
    return carried


def larger(session: Session, count: int, release: Release) -> Release:
    made = LargerRelease(**{f.name: getattr(release, f.name) for f in dataclasses.fields(release)})
    object.__setattr__(made, "_bound", count)
    return made


def remembering(session: Session, count: int, release: Release) -> Release:
    session.last = count  # type: ignore[attr-defined]
    return release


def charging(session: Session, count: int, release: Release) -> Release:
    cost = Cost.pure(Fraction(count + 1, 10**6))
    session._ledger.reserve(session._account, f"more {release.request_id}", "0", cost, {"query": "more"})
    return release


def raising(make: Callable[[int], Exception]) -> Callable[[int, Any], Any]:
    def leak(count: int, plan: Callable[[], Any]) -> Any:
        try:
            return plan()
        except InputError:
            raise make(count) from None

    return leak


def traveling(count: int, plan: Callable[[], Any]) -> Any:
    try:
        return plan()
    except InputError as error:
        error.__context__ = ValueError(count)
        raise


def refusing(count: int, plan: Callable[[], Any]) -> Any:
    if count > 23:  # the neighbors have 24 and 21 in the plane
        raise BudgetRefused("Not today.")
    return plan()


PRINTING = {
    "print": counting(lambda count: print(count)),  # noqa: T201
    "stderr": counting(lambda count: sys.stderr.write(str(count))),
    "descriptor": counting(lambda count: os.write(2, b"x" * count)),
    "debug": counting(lambda count: logging.getLogger("eremite").debug("bound %s", count)),
    "numba": counting(lambda count: logging.getLogger("numba.core").debug("rows %s", count)),
    "warning": counting(lambda count: warnings.warn(f"bound {count}", stacklevel=1)),
    "refusal": planning(refusing),
}
HOLDING = {
    "error": planning(raising(lambda count: InputError(f"{count} outliers."))),
    "argument": planning(raising(lambda count: InputError("No.", count))),
    "context": planning(traveling),
    "mechanism": planning(lambda count, plan: dataclasses.replace(plan(), mechanism=f"smooth-{count}")),
    "number": answering(lambda s, count, release: dataclasses.replace(release, value=carrier(release.value, count))),
    "release": answering(larger),
    "session": answering(remembering),
    "charge": answering(charging),
    "time": answering(
        lambda s, count, release: dataclasses.replace(release, time=release.time + timedelta(microseconds=count))
    ),
    "id": answering(lambda s, count, release: dataclasses.replace(release, request_id=f"{count:032x}")),
}


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("leak", [*PRINTING, *HOLDING])
def test_analyst_tells_leaking_mutants(
    analyst: Callable[[Rows, str], Sight], monkeypatch: pytest.MonkeyPatch, leak: str, pair: Callable[[int], Pair]
) -> None:
    (PRINTING | HOLDING)[leak](monkeypatch)
    ours, theirs = pair(2)
    assert analyst(ours, "smooth-laplace") != analyst(theirs, "smooth-laplace")


@pytest.mark.parametrize("leak", [*PRINTING, "error", "mechanism", "charge", "time", "id"])
def test_reader_tells_leaking_mutants(
    reader: Callable[[Rows, str], Sight], monkeypatch: pytest.MonkeyPatch, leak: str
) -> None:
    (PRINTING | HOLDING)[leak](monkeypatch)
    ours, theirs = neighbors(2)
    assert reader(ours, "smooth-laplace") != reader(theirs, "smooth-laplace")


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
        "screen": ("is_outlier", one | {"most_yes": 1}),
        "radius": ("choose_radius", {"min_neighbors": 3, "share": "0.2", "radii": [0.01, 0.1, 0.3], "epsilon": "0.5"}),
    }


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
    "is_outlier": [{"most_yes": 0}, {"columns": []}],
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


class InTurn:
    """Threads, one after the other: when they end decides which bits meet which candidate, though not its chances."""

    def __init__(self, threads: int) -> None: ...

    def __enter__(self) -> "InTurn":
        return self

    def __exit__(self, *error: object) -> None: ...

    def submit(self, work: Callable[..., object], *arguments: object) -> "Future[object]":
        done: Future[object] = Future()
        done.set_result(work(*arguments))
        return done


@pytest.fixture
def in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eremite.outliers.many_counts.ThreadPoolExecutor", InTurn)


def opened(rows: Rows) -> Session:
    return Session(table_of(rows), epsilon=10, delta="0.5")


def released(session: Session, method: str, request: dict[str, Any]) -> tuple[Release, Screen | None]:
    answer = getattr(session, method)(**request)
    return (answer.ask(points(len(session._table.columns))), answer) if isinstance(answer, Screen) else (answer, None)


def seeds_for(monkeypatch: pytest.MonkeyPatch, pair: Pair, query: str) -> list[int]:
    """The first seeds whose bits lead to the same value on both tables; also, every kernel is compiled after this."""
    method, request = requests(pair[0].shape[1])[query]

    def value(rows: Rows, seed: int) -> object:
        set_seed(monkeypatch, seed)
        return released(opened(rows), method, request)[0].value

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
def asker(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], still: Callable[[], None], in_turn: None
) -> Look:
    """What an analyst sees of a table who asks any other query."""

    def look(rows: Rows, query: str, seeds: list[int]) -> Sight:
        sight: Sight = []
        still()
        method, request = requests(rows.shape[1])[query]
        with eyes(capfd, sight):
            session = opened(rows)
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
        command, *arguments = OTHER_ARGUMENTS[query]
        for seed in seeds:
            for changes in OTHER_COMMANDS:
                set_seed(monkeypatch, seed)
                request = [command, "rows.toml", *arguments, "-k", "3", "-r", "0.02", "--epsilon", "0.5", *changes]
                sight += seen_command(capfd, request, Path("rows.db"))
        return sight

    return look


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("d", [2, 3])
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


def wrapping(monkeypatch: pytest.MonkeyPatch, owner: object, name: str, leak: Callable[[int, Any], Any]) -> None:
    """A mutant whose function does something with the exact count on the way out."""
    original = getattr(owner, name)

    def leaking(*arguments: Any, **request: Any) -> Any:
        holder = arguments[0]
        table = holder if isinstance(holder, Table) else holder._table
        return leak(exact(table), original(*arguments, **request))

    monkeypatch.setattr(owner, name, leaking)


COMPUTING: dict[str, tuple[object, str]] = {
    "subspaces": (module, "compute_subspaces"),
    "report": (module, "compute_report"),
    "points": (module, "compute_detection"),
    "rows": (module, "compute_detection"),
    "screen": (Screening, "answer"),
}
GIVING: dict[str, tuple[object, str]] = {
    "subspaces": (Session, "top_subspaces"),
    "report": (Session, "outlier_report"),
    "points": (Session, "detect_outliers"),
    "rows": (Session, "detect_outliers"),
    "screen": (Screen, "ask"),
}


class Carriers(tuple):  # type: ignore[type-arg]
    """Values with something in their luggage."""


def carriers(count: int, value: Any) -> Carriers:
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
@pytest.mark.parametrize("leak", ["print", "debug", "warning", "mechanism", "time"])
def test_other_reader_tells_leaking_mutants(
    other_reader: Look, monkeypatch: pytest.MonkeyPatch, leak: str, query: str
) -> None:
    assert tells(other_reader, monkeypatch, leak, query)
