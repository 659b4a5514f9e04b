"""Nothing that depends on the rows leaves, but the value.

Two tables with as many rows are asked the same questions, with random bits that lead to the same values; clock and
request ids stand still. Whatever an analyst or the reader of a terminal can then see must be the same to the byte:
releases in every form, the session, errors and refusals, logs of every logger at every level, warnings, output.
Mutants that leak in one of these ways are told apart by the same eyes.
"""

import dataclasses
import io
import logging
import os
import pickle
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eremite import BudgetRefused, InputError, OutlierDefinition, Privacy, Release, Session, Table
from eremite.cli import main
from eremite.mechanisms import entropy
from eremite.outliers import count_outliers
from eremite.queries.count import compute_count, plan_count
from eremite.session import session as module

N = 40
TARGETS = (0, 17, N)  # clamped, inside, clamped
DEFINITION = OutlierDefinition(min_neighbors=3, radius=0.02)
MECHANISMS = ["smooth-laplace", "global-laplace", "gaussian", "gaussian-paper", "global-gaussian"]
Rows = np.ndarray[Any, np.dtype[np.float64]]
Pair = tuple[Rows, Rows]
Sight = list[tuple[str, str]]


def neighbours(d: int) -> Pair:
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


PAIRS = [neighbours, strangers]


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
    plan = plan_count(table, DEFINITION, None, "0.5", "1e-6", mechanism)
    low, high = 0, 2**64
    while True:
        middle = (low + high) // 2
        set_bits(monkeypatch, middle)
        value = compute_count(table, plan)
        if value == target:
            return middle
        low, high = (middle, high) if value < target else (low, middle)


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clock and request ids stand still."""

    class Clock:
        @staticmethod
        def now(zone: object) -> datetime:
            return datetime(2026, 1, 1, tzinfo=UTC)

    class Id:
        hex = "0" * 32

    monkeypatch.setattr(module, "datetime", Clock)
    monkeypatch.setattr(module, "uuid4", Id)


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
        try:
            yield
        finally:
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
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], still: None
) -> Callable[[Rows, str], Sight]:
    """What an analyst sees of a table: its session, a release for each target, every error."""

    def look(rows: Rows, mechanism: str) -> Sight:
        sight: Sight = []
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


@pytest.fixture
def reader(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], still: None, tmp_path: Path
) -> Callable[[Rows, str], Sight]:
    """What the command line prints about a table, in text and JSON, and how it refuses."""

    def look(rows: Rows, mechanism: str) -> Sight:
        sight: Sight = []
        columns = "".join(f"{name} = {{ min = 0, max = 1 }}\n" for name in names(rows))
        (tmp_path / "rows.toml").write_text(DESCRIPTION + columns)
        text = io.StringIO()
        np.savetxt(text, rows, delimiter=",", header=",".join(names(rows)), comments="", fmt="%.17g")
        (tmp_path / "rows.csv").write_text(text.getvalue())
        for target in TARGETS:
            first = bits_for(monkeypatch, rows, mechanism, target)
            for command in COMMANDS:
                set_bits(monkeypatch, first)
                request = ["count", str(tmp_path / "rows.toml"), *ARGUMENTS, "--mechanism", mechanism, *command]
                with eyes(capfd, sight), pytest.raises(SystemExit) as stopped:
                    main(request)
                sight.append(("exit", str(stopped.value.code)))
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
        return compute_count(table, plan)

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
    session._ledger.charge(Privacy(Fraction(count, 10**6)))
    return release


def raising(make: Callable[[int], Exception]) -> Callable[[int, Any], Any]:
    def leak(count: int, plan: Callable[[], Any]) -> Any:
        try:
            return plan()
        except InputError:
            raise make(count) from None

    return leak


def travelling(count: int, plan: Callable[[], Any]) -> Any:
    try:
        return plan()
    except InputError as error:
        error.__context__ = ValueError(count)
        raise


def refusing(count: int, plan: Callable[[], Any]) -> Any:
    if count > 23:  # the neighbours have 24 and 21 in the plane
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
    "context": planning(travelling),
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
    ours, theirs = neighbours(2)
    assert reader(ours, "smooth-laplace") != reader(theirs, "smooth-laplace")
