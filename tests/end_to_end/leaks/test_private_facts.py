"""How many rows there are, which cells are empty and who is in which ward: where these are private, nothing tells.

Pairs of tables that differ in nothing else are asked everything there is to ask, of a session, on the command line and
over HTTP, with draws that are the same whatever the rows are. Whatever the observer sees must then be the same to the
byte. Mutants that tell the number of rows in one of these ways are caught by the same observer.
"""

import asyncio
import csv
import dataclasses
import json
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from eremite import InputError, OutlierDefinition, Session, Table
from eremite.cli import main
from eremite.ledger import Ledger, MemoryStore
from eremite.queries import count as count_module
from eremite.queries import fit
from eremite.queries.choice import NAMES
from eremite.service import audit
from eremite.service.application import application
from eremite.service.tokens import Grant, change_grants, hash_of
from eremite.session.screen import Screen
from tests.attacks.watched import watched
from tests.end_to_end.leaks.observer import Sight, ledger_text, seen_error, seen_release, walked, watching
from tests.end_to_end.leaks.tables import NEW_YEAR
from tests.unit.service.in_process import state_of

Row = tuple[float | None, float | None, str]
Rows = list[Row]
Pair = tuple[str, Rows, Rows]
BETWEEN = 47  # more than the rows of one table, fewer than those of the other
DRAWN = 1000  # more than the rows of either


def crowd(n: int) -> Rows:
    """A crowd, a group of four, and rows that stand alone, in wards A and B."""
    points = np.random.default_rng(5).uniform(0.6, 1, (n, 2)).round(3)
    points[:15], points[15:19] = 0.5, 0.1
    return [(a, b, "AB"[i % 2]) for i, (a, b) in enumerate(points.tolist())]


def with_gaps(rows: Rows, first: range, second: range) -> Rows:
    """The same rows without a value in the first column, or in the second."""
    return [(None if i in first else a, None if i in second else b, ward) for i, (a, b, ward) in enumerate(rows)]


def in_wards(rows: Rows, wards: str) -> Rows:
    return [(a, b, wards[i % len(wards)]) for i, (a, b, _) in enumerate(rows)]


LENGTHS: Pair = ("add-remove", crowd(40), crowd(53))
PAIRS: dict[str, Pair] = {
    "lengths": LENGTHS,
    "no rows": ("add-remove", [], crowd(40)),
    **{
        f"{what}, {relation}": (relation, ours, theirs)
        for relation in ("replace", "add-remove")
        for what, ours, theirs in (
            ("gaps", with_gaps(crowd(40), range(5), range(0)), with_gaps(crowd(40), range(30, 32), range(12, 25))),
            ("wards", in_wards(crowd(40), "A"), in_wards(crowd(40), "ABB")),
        )
    },
}

Look = Callable[[str, Rows], Sight]


@pytest.fixture(autouse=True)
def same_draws_on_both(in_turn: None) -> Iterator[None]:
    """Noise and draws that do not depend on the rows."""
    with watched(DRAWN):
        yield


# A session.


def table_of(relation: str, rows: Rows) -> Table:
    frame = {name: [row[place] for row in rows] for place, name in enumerate(("a", "b", "ward"))}
    about: dict[str, Any] = {"neighbors": relation} | ({"rows_about": 100} if relation == "add-remove" else {})
    return Table.from_frame(
        frame,
        bounds={"a": (0, 1), "b": (0, 1)},
        categories={"ward": ["A", "B", "C"]},
        missing={"a": "leave-out", "b": "leave-out"},
        **about,
    )


def outlier(k: int = 3, *within: str) -> OutlierDefinition:
    return OutlierDefinition(min_neighbors=k, radius=0.02, within=within)


SEARCH: dict[str, Any] = {"definition": outlier(), "h": 2, "max_size": 2}
POINTS = [[0.1, 0.5], [0.9, 0.3], [0.5, 0.5]]
QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    *(("count_outliers", {"definition": outlier(), "delta": "1e-6", "mechanism": mechanism})
      for mechanism in NAMES if mechanism != "gaussian-paper"),
    ("count_outliers", {"definition": outlier(), "reach": 2}),
    ("count_outliers", {"definition": outlier(3, "ward"), "columns": ["a"]}),
    ("count_outliers", {"definition": outlier(20)}),
    ("count_outliers_by", {"definition": outlier(), "by": "ward"}),
    *(("top_subspaces", SEARCH | {"utility": utility}) for utility in ("compared", "centered", "dampened", "paper")),
    ("top_subspaces", SEARCH | {"definition": outlier(3, "ward")}),
    ("outlier_report", SEARCH),
    ("detect_outliers", {"definition": outlier(), "candidates": POINTS, "h": 2}),
    ("detect_outliers", {"definition": outlier(3, "ward"), "candidates": [[0.5, 0.5, "C"], [0.5, 0.5, "A"]], "h": 1}),
    ("explain_outlier", {"definition": outlier(), "point": POINTS, "h": 2, "max_size": 2}),
    ("open_screen", {"definition": outlier(), "most_yes": 1}),
    ("choose_radius", {"min_neighbors": 3, "share": "0.2", "radii": [0.01, 0.1, 0.3]}),
    ("count_rows", {"columns": ["a"]}),
    ("count_rows", {"columns": ["a", "b"]}),
    ("count_rows", {}),
]  # fmt: skip
WRONG: list[tuple[str, dict[str, Any]]] = [
    ("count_outliers", {"definition": outlier(), "epsilon": 0}),
    ("count_outliers", {"definition": outlier(), "epsilon": 19}),
    ("count_outliers", {"definition": outlier(3, "a")}),
    ("count_outliers", {"definition": outlier(), "columns": ["ward"]}),
    ("count_outliers", {"definition": outlier(BETWEEN)}),
    ("top_subspaces", SEARCH | {"definition": outlier(BETWEEN)}),
    ("detect_outliers", {"definition": outlier(3, "ward"), "candidates": [[0.5, 0.5, "D"]], "h": 1}),
    ("detect_outliers", {"definition": outlier(), "candidates": None, "h": BETWEEN}),
    ("explain_outlier", {"definition": outlier(), "point": [0.5], "h": 1, "max_size": 1}),
    ("choose_radius", {"min_neighbors": BETWEEN, "share": "0.2"}),
    ("open_screen", {"definition": outlier(), "most_yes": 0}),
]
FORECASTS: list[tuple[str, dict[str, Any]]] = [
    ("forecast_count", {"definition": outlier(3, "ward"), "epsilon": ["0.5"]}),
    ("forecast_count_by", {"definition": outlier(), "by": "ward", "epsilon": ["0.5"]}),
    ("forecast_subspaces", SEARCH | {"epsilon": ["0.5"], "utility": "paper"}),
    ("forecast_rows", {}),
]


def seen_answer(session: Session, method: str, request: dict[str, Any]) -> Sight:
    try:
        answer = getattr(session, method)(**({"epsilon": "0.1"} | request))
    except Exception as error:
        return seen_error(error)
    told = answer.ask(POINTS) if isinstance(answer, Screen) else answer
    shown = [("html", told._repr_html_()), ("text", str(told)), ("frame", told.to_frame().to_json())]
    return [*seen_release(told), *shown, ("left", repr(session.remaining))]


def seen_forecast(session: Session, method: str, request: dict[str, Any]) -> Sight:
    told = getattr(session, method)(**request)
    shown = told._repr_html_() if hasattr(told, "_repr_html_") else ""
    return [("forecast", repr(told)), ("html", shown), ("text", str(told))]


@pytest.fixture
def asker(capfd: pytest.CaptureFixture[str]) -> Look:
    """What an analyst sees of a session, and of the table it holds, who asks everything there is to ask."""

    def look(relation: str, rows: Rows) -> Sight:
        sight: Sight = []
        numbers = count()
        table = table_of(relation, rows)
        with watching(capfd, sight):
            session = Session(
                table, epsilon=10, delta="0.1", clock=lambda: NEW_YEAR, new_id=lambda: f"{next(numbers):032x}"
            )
            for method, request in QUESTIONS + WRONG:
                sight += seen_answer(session, method, request)
            for method, request in FORECASTS:
                sight += seen_forecast(session, method, request)
            sight += walked(session, "session", hidden=False)
            sight += [("table", repr(table)), ("table", table._repr_html_()), ("table", str(table))]
            sight += [("facts", repr(table.facts)), ("session", session._repr_html_()), ("page", session.page())]
            sight += [("timeline", repr(session.budget_timeline))]
            sight += [("ledger", repr(entry)) for entry in session._ledger.history("table")]
        return sight

    return look


_COMPILED = set[tuple[str, str]]()


def same(look: Look, pair: Pair) -> bool:
    """Whether both tables look alike. The first look at a table compiles kernels, which is logged."""
    relation, *tables = pair
    for rows in tables:
        if (look.__qualname__, repr(rows)) not in _COMPILED:
            look(relation, rows)
            _COMPILED.add((look.__qualname__, repr(rows)))
    ours, theirs = (look(relation, rows) for rows in tables)
    return ours == theirs


@pytest.mark.parametrize("pair", PAIRS)
def test_asker_sees_no_private_fact(asker: Look, pair: str) -> None:
    assert same(asker, PAIRS[pair])


def test_asker_gets_an_answer_to_every_question(asker: Look) -> None:
    sight = asker(*LENGTHS[:2])
    assert len([path for path, _ in sight if path == "release.value"]) == len(QUESTIONS) + 3  # two for any k, a radius
    assert "private with neighbors" in "".join(text for path, text in sight if path == "session.n_rows")


# The command line.

DESCRIPTION = """
[dataset]
name = "rows"
source = "rows.csv"
{relation}
[budget]
epsilon = 7
delta = 1e-5
[columns]
a = {{ min = 0, max = 1, missing = "leave-out" }}
b = {{ min = 0, max = 1, missing = "leave-out" }}
ward = {{ categories = ["A", "B", "C"] }}
"""
ASK = ["rows.toml", "-k", "3", "-r", "0.02", "--epsilon", "0.1"]
COMMANDS = [
    ["check", "rows.toml"],
    ["check", "rows.toml", "--json"],
    ["count", *ASK],
    ["count", *ASK, "-k", str(BETWEEN), "--json"],
    ["count", *ASK, "--within", "ward", "--columns", "a"],
    ["count", *ASK, "--by", "ward"],
    ["count", *ASK, "--epsilon", "8"],
    ["subspaces", *ASK, "--max-size", "2", "--top", "2"],
    ["report", *ASK, "--max-size", "2", "--top", "2"],
    ["detect", *ASK, "points.csv", "--top", "2"],
    ["explain", *ASK, "points.csv", "--top", "1", "--max-size", "2"],
    ["choose-radius", "rows.toml", "-k", "3", "--share", "0.2", "--epsilon", "0.1"],
    ["rows", "rows.toml", "--epsilon", "0.1", "--columns", "a"],
    ["forecast", "count", "rows.toml", "-k", "3", "-r", "0.02", "--rows", "100"],
    ["history", "rows.toml"],
    ["history", "rows.toml", "--json"],
    ["budget", "show", "rows.toml"],
    ["page", "rows.toml"],
]
ANSWERED = [3 if "8" in command else 0 for command in COMMANDS]


def write_dataset(relation: str, rows: Rows) -> None:
    about = "\nrows_about = 100" if relation == "add-remove" else ""
    Path("rows.toml").write_text(DESCRIPTION.format(relation=f'neighbors = "{relation}"{about}'))
    Path("points.csv").write_text("a,b\n0.1,0.5\n0.9,0.3\n")
    with Path("rows.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("a", "b", "ward"), *rows])


@pytest.fixture
def reader(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], still: Callable[[], None], tmp_path: Path
) -> Look:
    """What every command prints about a table, in text and JSON, and what the ledger keeps of it."""

    def look(relation: str, rows: Rows) -> Sight:
        sight: Sight = []
        still()
        monkeypatch.chdir(tmp_path)
        write_dataset(relation, rows)
        for command in COMMANDS:
            with watching(capfd, sight), pytest.raises(SystemExit) as stopped:
                main(command)
            sight.append(("exit", f"{stopped.value.code}"))
        sight.append(("page", Path("rows.html").read_text()))
        return [*sight, *ledger_text(Path("rows.db"))]

    return look


@pytest.mark.parametrize("pair", ["lengths", "gaps, replace"])
def test_reader_sees_no_private_fact(reader: Look, pair: str) -> None:
    assert same(reader, PAIRS[pair])


def test_reader_gets_an_answer_to_every_command(reader: Look) -> None:
    assert [text for path, text in reader(*LENGTHS[:2]) if path == "exit"] == [*map(str, ANSWERED)]


# HTTP.

DEFINED = {"definition": {"min_neighbors": 3, "radius": 0.02, "within": ["ward"]}}
SENT: list[tuple[str, dict[str, Any]]] = [
    ("count", DEFINED | {"epsilon": 0.1}),
    ("count", {"definition": {"min_neighbors": BETWEEN, "radius": 0.02}, "epsilon": 0.1}),
    ("count", {"definition": {"min_neighbors": 2**33, "radius": 0.02}, "epsilon": 0.1}),
    ("count", DEFINED | {"epsilon": 19}),
    ("count-by", {"definition": {"min_neighbors": 3, "radius": 0.02}, "by": ["ward"], "epsilon": 0.1}),
    ("subspaces", DEFINED | {"epsilon": 0.1, "h": 1, "size": 1}),
    ("report", DEFINED | {"epsilon": 0.1, "h": 1, "size": 1}),
    ("detect", {"definition": {"min_neighbors": 3, "radius": 0.02}, "epsilon": 0.1, "h": 1, "candidates": POINTS}),
    ("detect", {"definition": {"min_neighbors": 3, "radius": 0.02}, "epsilon": 0.1, "h": BETWEEN, "candidates": None}),
    ("explain", {"definition": {"min_neighbors": 3, "radius": 0.02}, "epsilon": 0.1, "h": 1, "max_size": 2,
                 "point": POINTS}),
    ("radius", {"min_neighbors": 3, "share": 0.1, "epsilon": "1/10"}),
    ("rows", {"epsilon": 0.1}),
    ("rows", {"epsilon": 0.1, "columns": ["a"]}),
    ("forecast/count", DEFINED),
    ("forecast/count-by", {"definition": {"min_neighbors": 3, "radius": 0.02}, "by": ["ward"]}),
    ("forecast/radius", {"min_neighbors": BETWEEN, "share": 0.1, "radii": [0.02]}),
    ("forecast/rows", {}),
]  # fmt: skip
LOOKS = ["", "/budget", "/budgets", "/releases", "/history"]


async def sent(app: Any, request_ids: Iterator[int]) -> list[httpx.Response]:
    headers, base = {"Authorization": "Bearer secret"}, "/v1/datasets/rows"
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://service", headers=headers) as client:
        told = []
        for path, body in SENT:
            named = {} if path.startswith("forecast") else {"request_id": str(next(request_ids))}
            told.append(await client.post(f"{base}/{path}?wait=60", content=json.dumps(body | named)))
        jobs = [f"/v1/jobs/{job['id']}" for job in (await client.get("/v1/jobs")).json()["jobs"]]
        looks = [
            *(f"{base}{path}" for path in LOOKS),
            "/openapi.json",
            "/v1/jobs",
            "/metrics",
            *jobs,
            f"{jobs[0]}/events",
        ]
        return [*told, *[await client.get(path) for path in looks]]


@pytest.fixture
def caller(capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Look:
    """What comes back from the service on a table, and what is logged and printed meanwhile."""

    class Clock:
        @staticmethod
        def now(_: object) -> datetime:
            return NEW_YEAR

    monkeypatch.setattr(audit, "datetime", Clock)
    grant = Grant(name="a", account="a", datasets=("rows",), custodian=True, hash=hash_of("secret"))
    change_grants(tmp_path / "tokens.json", lambda _: (grant,))

    def clock() -> datetime:
        return NEW_YEAR

    def look(relation: Any, rows: Rows) -> Sight:
        sight: Sight = []
        ledger, ids = Ledger(MemoryStore(), clock=clock), (f"job-{number}" for number in count())
        with watching(capfd, sight):
            session = Session(table_of(relation, rows), epsilon=5, ledger=ledger, dataset="rows")
            tokens = tmp_path / "tokens.json"
            state = state_of({"rows": (session, ledger)}, tokens, clock=clock, new_id=lambda: next(ids))
            told = asyncio.run(sent(application(state), count()))
        return [*sight, *((f"{one.status_code}", f"{one.headers!r} {one.text}") for one in told)]

    return look


@pytest.mark.parametrize("pair", ["lengths", "no rows", "gaps, replace", "wards, add-remove"])
def test_caller_sees_no_private_fact(caller: Look, pair: str) -> None:
    assert same(caller, PAIRS[pair])


def test_caller_gets_an_answer_to_every_question(caller: Look) -> None:
    told = [path for path, _ in caller(*LENGTHS[:2]) if path.isdigit()]
    refused = {2: "422", 3: "409", 8: "422"}  # too many neighbors, too much to spend, and rows that are private
    answered = len(SENT) - len(refused)
    assert told == [refused.get(place, "200") for place in range(len(SENT) + len(LOOKS) + 3 + answered + 1)]


# The same, with a mistake.


def counted_facts(table: Table) -> Any:
    return dataclasses.replace(HONEST_FACTS(table), rows=table.all_rows())


def refusing(definition: Any, table: Table) -> Any:
    if definition.min_neighbors >= table.all_rows():
        raise InputError("min_neighbors does not fit.")
    return fit.require_fit(definition, table)


HONEST_FACTS = Table.facts.fget  # type: ignore[attr-defined]
#: Each with what it puts in the place of what.
MISTAKES: dict[str, tuple[object, str, Any]] = {
    "facts": (Table, "facts", property(counted_facts)),
    "clamp": (count_module, "clamped", lambda drawn, table: min(drawn, table.all_rows())),
    "fit": (count_module, "require_fit", refusing),
    "repr": (Table, "__repr__", lambda table: f"Table({table.all_rows()})"),
}
CAUGHT = {
    "asker": ["facts", "clamp", "fit", "repr"],
    "reader": ["clamp"],
    "caller": ["facts"],
}


@pytest.mark.parametrize(("who", "mistake"), [(who, mistake) for who, some in CAUGHT.items() for mistake in some])
def test_observer_tells_a_number_of_rows(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, who: str, mistake: str
) -> None:
    owner, name, mutant = MISTAKES[mistake]
    look = request.getfixturevalue(who)
    monkeypatch.setattr(owner, name, mutant)
    assert not same(look, LENGTHS)
