"""Of a count, nothing that depends on the rows leaves but the value.

Two tables with as many rows are asked the same questions, with random bits that lead to the same values; clock and
request ids stand still. Whatever the observer sees must then be the same to the byte.
Mutants that leak in one of these ways are caught by the same observer.
"""

import dataclasses
import logging
import os
import sys
import warnings
from collections.abc import Callable
from datetime import timedelta
from fractions import Fraction
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest

from eremite import BudgetRefused, InputError, OutlierDefinition, Release, Session, Table
from eremite.ledger import Cost
from eremite.mechanisms import entropy
from eremite.outliers import count_outliers
from eremite.queries import CountQuery
from eremite.queries.count import CountPlan
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
    table_of,
    write_dataset,
)

TARGETS = (0, 17, N)  # clamped, inside, clamped
MECHANISMS = ["smooth-laplace", "global-laplace", "gaussian", "gaussian-paper", "global-gaussian"]
HONEST_PLAN, HONEST_COMPUTE = CountQuery.plan, CountPlan.compute  # mutants replace them


def set_bits(monkeypatch: pytest.MonkeyPatch, first: int) -> None:
    """The uniform number with these 64 bits, and zeros after them."""
    bits = chain([first], repeat(0))
    monkeypatch.setattr(entropy, "system_bits", lambda n: next(bits))


def lead_to(monkeypatch: pytest.MonkeyPatch, rows: Rows, mechanism: str, target: int) -> Callable[[], None]:
    """Sets what is drawn next, so that it leads to this value."""
    if HONEST_PLAN(question_of(mechanism), table_of(rows)).mechanism == "reach-pair":
        return partial(lead_pairs, monkeypatch, target)
    return partial(set_bits, monkeypatch, bits_for(monkeypatch, rows, mechanism, target))


def question_of(mechanism: str) -> CountQuery:
    return CountQuery(definition=DEFINITION, epsilon="0.5", delta="1e-6", mechanism=mechanism)


def bits_for(monkeypatch: pytest.MonkeyPatch, rows: Rows, mechanism: str, target: int) -> int:
    """Bits that lead to this value, by bisection. They stay inside; also, every kernel is compiled after this."""
    table = table_of(rows)
    plan = HONEST_PLAN(question_of(mechanism), table)
    low, high = 0, 2**64
    while True:
        middle = (low + high) // 2
        set_bits(monkeypatch, middle)
        value = HONEST_COMPUTE(plan, table)
        if value == target:
            return middle
        low, high = (middle, high) if value < target else (low, middle)


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
def analyst(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[[Rows, str], Sight]:
    """What an analyst sees of a table: its session, a release for each target, every error."""

    def look(rows: Rows, mechanism: str) -> Sight:
        sight: Sight = []
        aims = [lead_to(monkeypatch, rows, mechanism, target) for target in TARGETS]
        with watching(capfd, sight):
            session = session_on(rows, "1e-5")
            for aim in aims:
                aim()
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


ARGUMENTS = ["-k", "3", "-r", "0.02", "--epsilon", "0.5", "--delta", "1e-6"]
COMMANDS = [[], ["--json"], ["--epsilon", "0.8"], ["--epsilon", "0"], ["--columns", "weight"], ["-k", str(N)]]


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
            aim = lead_to(monkeypatch, rows, mechanism, target)
            for command in COMMANDS:
                aim()
                request = ["count", str(tmp_path / "rows.toml"), *ARGUMENTS, "--mechanism", mechanism, *command]
                sight += seen_command(capfd, request, tmp_path / "rows.db")
        return sight

    return look


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("d", [2, *(pytest.param(d, marks=pytest.mark.slow) for d in (1, 3, 5))])
@pytest.mark.parametrize("mechanism", [*MECHANISMS, "reach-pair"])
def test_command_line_prints_the_value_and_nothing_else(
    reader: Callable[[Rows, str], Sight], mechanism: str, d: int, pair: Callable[[int], Pair]
) -> None:
    ours, theirs = pair(d)
    sight = reader(ours, mechanism)
    assert sight == reader(theirs, mechanism)
    assert [text for path, text in sight if path == "exit"] == ["0", "0", "3", "2", "2", "2"] * len(TARGETS)
    assert "about 17 of 40 rows" in "".join(text for _, text in sight)


def counting(leak: Callable[[int], object]) -> Callable[[pytest.MonkeyPatch], None]:
    """A mutant whose count does something with the exact one on the way."""

    def leaking(self: CountPlan, table: Table, *progress: Any) -> int:
        leak(exact(table))
        return HONEST_COMPUTE(self, table, *progress)

    return lambda monkeypatch: monkeypatch.setattr(CountPlan, "compute", leaking)


def planning(leak: Callable[[int, Any], Any]) -> Callable[[pytest.MonkeyPatch], None]:
    """A mutant whose plan depends on the exact count."""

    def leaking(self: CountQuery, table: Table) -> Any:
        return leak(exact(table), lambda: HONEST_PLAN(self, table))

    return lambda monkeypatch: monkeypatch.setattr(CountQuery, "plan", leaking)


def answering(leak: Callable[[Session, int, Release], Release]) -> Callable[[pytest.MonkeyPatch], None]:
    """A mutant whose session, or release, holds the exact count."""
    original = Session.ask

    def leaking(self: Session, query: CountQuery, **request: Any) -> Release:
        return leak(self, exact(self._table), original(self, query, **request))

    return lambda monkeypatch: monkeypatch.setattr(Session, "ask", leaking)


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


_AT_ONCE = ("stderr", "error", "mechanism", "time")


@pytest.mark.parametrize(
    "leak",
    [
        leak if leak in _AT_ONCE else pytest.param(leak, marks=pytest.mark.slow)
        for leak in [*PRINTING, "error", "mechanism", "charge", "time", "id"]
    ],
)
def test_reader_tells_leaking_mutants(
    reader: Callable[[Rows, str], Sight], monkeypatch: pytest.MonkeyPatch, leak: str
) -> None:
    (PRINTING | HOLDING)[leak](monkeypatch)
    ours, theirs = neighbors(2)
    assert reader(ours, "smooth-laplace") != reader(theirs, "smooth-laplace")
