"""A fingerprint identifies a question by its fields: the same for the same question, whatever the words are."""

from dataclasses import replace

import numpy as np
import pytest

from eremite import (
    CountQuery,
    DetectQuery,
    ExplainQuery,
    InputError,
    OutlierDefinition,
    RadiusQuery,
    ReportQuery,
    RowsQuery,
    ScreenQuery,
    Session,
    SubspacesQuery,
    Table,
)
from eremite.ledger import Account, Ledger, MemoryStore
from eremite.session.request import Request
from tests.private_number import table_of_private_number

ALICE = Account("people", "alice")
DEFINITION = OutlierDefinition(min_neighbors=3, radius=0.1)
TABLE = Table.from_frame(np.zeros((40, 3)), {"a": (0, 1), "b": (0, 1), "c": (0, 2)})
POINTS = [[0.5, 0.5, 0.5], [0.1, 0.2, 0.3]]
#: Recorded once: the fingerprint, and that of the version before. One that changes needs another FINGERPRINT_VERSION.
KNOWN = {
    "count": (
        CountQuery(definition=DEFINITION, epsilon="0.1"),
        "3:256fd64a1533dbbe34d3c53c2c98accb1946afc996a3c45a9d2c375c28a80db3",
        "2:5b8ae744995d0e2891961dfdccae9bc473efc438e2b5dfa1339abb737e3b0b98",
    ),
    "search": (
        SubspacesQuery(definition=DEFINITION, h=1, size=2, epsilon=1),
        "3:24de006620811fe6b528bba5da0ef991a079af48040036a3b6e7381c3030cda5",
        "2:856993ab4b0121fce6502a57bef1d5fc1f0ac37e0bb9b6b69001372dc42beb8d",
    ),
    "list": (
        SubspacesQuery(definition=DEFINITION, h=1, subspaces=[["b", "a"], ["c"]], epsilon=1),
        "3:a31474680a6a16485ac710cfdf3f5772037a95f7d442e24b688d6790fb6cf489",
        "2:99b875e1235f4361660f02ae7fb0b938e6b00a2dfb25bc368f5387b83c8837ef",
    ),
    "report": (
        ReportQuery(definition=DEFINITION, h=1, max_size=2, epsilon=1),
        "3:8ec24c042ba3f45dfd1816572760b893d5a72aec1e690f65646f35c1c81f1760",
        "2:06b4c737d493ab10f3e97779a0effc814f62d4934d51922f9130347e79344f76",
    ),
    "points": (
        DetectQuery(definition=DEFINITION, candidates=POINTS, h=1, epsilon=1),
        "3:fcaaf0e9dc16b66598061ff202ef3346f025c0699aa6e2c9e2d2cb6bb2937f1b",
        "2:e2c002483439e87f6801d7821230c55ca88457b9cea708eac5ea6905c0f9381a",
    ),
    "rows": (
        DetectQuery(definition=DEFINITION, candidates=None, h=1, epsilon=1),
        "3:bd369e5bf5b69bcad500bfaf125d64f373b7c5ee2cbd32bafc0d7a252320b6c6",
        "2:d49682a909b4f14462673c9c367c3d14765745bc5253a6e487202856413a3334",
    ),
    "explained": (
        ExplainQuery(definition=DEFINITION, point=POINTS[0], h=1, max_size=2, epsilon=1),
        "3:62388a6b4752a331acbb28e6360326393c300d14737438811d855bc5c9ed7771",
        "2:c2553b35bf7430ba21cb6659dccbad3a89c66975b1f5e4f2bd6c8f16eefc261c",
    ),
    "explained points": (
        ExplainQuery(definition=DEFINITION, point=POINTS[:1], h=1, max_size=2, epsilon=1),
        "3:85bac2594ffea81ac612751a9c12c317535e5a07035b57d512f444409a1608ca",
        "2:1e0cb1585195ddc0a3795561138de1151e35560561977accaddef3dabb1a6be4",
    ),
    "radius": (
        RadiusQuery(min_neighbors=3, share="1/3", epsilon=1),
        "3:c3f8bc8da29c9fa83512933db8fd4a0c4f13184549431cb564df86bf56ea01b2",
        "2:e1ea503ffcfde7a82d364db71781dace8efc5c8ad093dc08196b1dc6b0dc1c48",
    ),
    "screen": (
        ScreenQuery(definition=DEFINITION, most_yes=2, epsilon=1),
        "3:a72be6146b15ed8a030f1cabace31c2cda66574f70c732e6df74a85ea05d0c34",
        "2:06857bba8e3f0062fc1cb5b0b6ca6a1dffe905c5357be820a991adb78bf9d5e5",
    ),
}


def fingerprint(query, table=TABLE):
    return Request(query.plan(table), table).fingerprint


@pytest.mark.parametrize("name", KNOWN)
def test_fingerprint_of_a_question_stays_the_same(name):
    query, known, former = KNOWN[name]
    assert fingerprint(query) == known
    assert Request(query.plan(TABLE), TABLE).former_fingerprint == former


def test_fingerprint_of_a_number_of_rows_stays_the_same():
    """It is asked for where it is private."""
    private = table_of_private_number(np.zeros((40, 3)), {"a": (0, 1), "b": (0, 1), "c": (0, 2)})
    known = "3:291da33c1d7f58172d18762e2a9ec86d3043c1a277f870541ddc82e7e4d3d592"
    assert fingerprint(RowsQuery(epsilon="0.1"), private) == known
    assert fingerprint(RowsQuery(epsilon="0.1", columns=["a", "b", "c"]), private) != known


def test_fingerprints_of_different_questions_differ():
    assert len({fingerprint(query) for query, *_ in KNOWN.values()}) == len(KNOWN)


def test_same_question_in_other_types_has_the_same_fingerprint():
    written = CountQuery(definition=DEFINITION, columns=("a", "b", "c"), epsilon="1/10", delta="0")
    assert fingerprint(written) == fingerprint(CountQuery(definition=DEFINITION, epsilon=0.1))
    as_array = DetectQuery(definition=DEFINITION, candidates=np.array(POINTS), h=1, epsilon="1")
    assert fingerprint(as_array) == KNOWN["points"][1]
    ordered = SubspacesQuery(definition=DEFINITION, h=1, subspaces=(("a", "b"), ("c",)), epsilon=1)
    assert fingerprint(ordered) == KNOWN["list"][1]


@pytest.mark.parametrize(
    "other",
    [
        Table.from_frame(np.zeros((40, 3)), {"a": (0, 1), "b": (0, 1), "c": (0, 3)}),
        Table.from_frame(np.zeros((40, 3)), {"a": (0, 1), "c": (0, 2), "b": (0, 1)}),
        Table.from_frame(np.zeros((40, 3)), {"a": (0, 1), "b": (0, 1), "c": (0, 2)}, rows_per_person=2),
    ],
)
def test_same_question_about_another_table_has_another_fingerprint(other):
    for query, known, _ in KNOWN.values():
        assert fingerprint(query, other) != known


@pytest.mark.parametrize("neighbors", ["replace", "add-remove"])
def test_number_of_rows_is_no_part_of_a_fingerprint(neighbors):
    """So a retry finds its answer after rows came or went; version 2 held the public number, and was another then."""
    facts = TABLE.facts if neighbors == "replace" else table_of_private_number(np.zeros((40, 3)), TABLE.bounds).facts
    more = Table.for_planning(replace(facts, rows=41))
    asked = [query for name, (query, *_) in KNOWN.items() if name != "rows" or neighbors == "replace"]
    for query in asked:
        before, after = (Request(query.plan(table), table) for table in (Table.for_planning(facts), more))
        assert before.fingerprint == after.fingerprint
        assert before.former_fingerprint != after.former_fingerprint


@pytest.mark.parametrize("name", [name for name in KNOWN if name != "screen"])
def test_answer_that_was_charged_by_the_version_before_is_found_and_serves_no_other_question(name):
    query, _, former = KNOWN[name]
    ledger = Ledger(MemoryStore())
    session = Session(TABLE, epsilon=10, ledger=ledger, dataset="people", account="alice")
    release = session.ask(query, request_id="then")
    older = Ledger(MemoryStore())
    session = Session(TABLE, epsilon=10, ledger=older, dataset="people", account="alice")
    plan = query.plan(TABLE)
    paid = older.reserve(ALICE, "then", former, plan.cost, Request(plan, TABLE).question)
    older.store(ALICE, "then", release.to_json(), paid)
    left = session.remaining
    assert session.ask(query, request_id="then") == release
    with pytest.raises(InputError, match="was used for another request"):
        session.ask(CountQuery(definition=DEFINITION, epsilon="0.2"), request_id="then")
    assert session.remaining == left
