"""A fingerprint identifies a question by its fields: the same for the same question, whatever the words are."""

import numpy as np
import pytest

from eremite import (
    CountQuery,
    DetectQuery,
    ExplainQuery,
    OutlierDefinition,
    RadiusQuery,
    ReportQuery,
    RowsQuery,
    ScreenQuery,
    SubspacesQuery,
    Table,
)
from eremite.session.request import Request
from tests.private_number import table_of_private_number

DEFINITION = OutlierDefinition(min_neighbors=3, radius=0.1)
TABLE = Table.from_frame(np.zeros((40, 3)), {"a": (0, 1), "b": (0, 1), "c": (0, 2)})
POINTS = [[0.5, 0.5, 0.5], [0.1, 0.2, 0.3]]
#: Recorded once. A fingerprint that changes needs another FINGERPRINT_VERSION.
KNOWN = {
    "count": (
        CountQuery(definition=DEFINITION, epsilon="0.1"),
        "2:5b8ae744995d0e2891961dfdccae9bc473efc438e2b5dfa1339abb737e3b0b98",
    ),
    "search": (
        SubspacesQuery(definition=DEFINITION, h=1, size=2, epsilon=1),
        "2:856993ab4b0121fce6502a57bef1d5fc1f0ac37e0bb9b6b69001372dc42beb8d",
    ),
    "list": (
        SubspacesQuery(definition=DEFINITION, h=1, subspaces=[["b", "a"], ["c"]], epsilon=1),
        "2:99b875e1235f4361660f02ae7fb0b938e6b00a2dfb25bc368f5387b83c8837ef",
    ),
    "report": (
        ReportQuery(definition=DEFINITION, h=1, max_size=2, epsilon=1),
        "2:06b4c737d493ab10f3e97779a0effc814f62d4934d51922f9130347e79344f76",
    ),
    "points": (
        DetectQuery(definition=DEFINITION, candidates=POINTS, h=1, epsilon=1),
        "2:e2c002483439e87f6801d7821230c55ca88457b9cea708eac5ea6905c0f9381a",
    ),
    "rows": (
        DetectQuery(definition=DEFINITION, candidates=None, h=1, epsilon=1),
        "2:d49682a909b4f14462673c9c367c3d14765745bc5253a6e487202856413a3334",
    ),
    "explained": (
        ExplainQuery(definition=DEFINITION, point=POINTS[0], h=1, max_size=2, epsilon=1),
        "2:c2553b35bf7430ba21cb6659dccbad3a89c66975b1f5e4f2bd6c8f16eefc261c",
    ),
    "explained points": (
        ExplainQuery(definition=DEFINITION, point=POINTS[:1], h=1, max_size=2, epsilon=1),
        "2:1e0cb1585195ddc0a3795561138de1151e35560561977accaddef3dabb1a6be4",
    ),
    "radius": (
        RadiusQuery(min_neighbors=3, share="1/3", epsilon=1),
        "2:e1ea503ffcfde7a82d364db71781dace8efc5c8ad093dc08196b1dc6b0dc1c48",
    ),
    "screen": (
        ScreenQuery(definition=DEFINITION, most_yes=2, epsilon=1),
        "2:06857bba8e3f0062fc1cb5b0b6ca6a1dffe905c5357be820a991adb78bf9d5e5",
    ),
}


def fingerprint(query, table=TABLE):
    return Request(query.plan(table), table).fingerprint


@pytest.mark.parametrize("name", KNOWN)
def test_fingerprint_of_a_question_stays_the_same(name):
    query, known = KNOWN[name]
    assert fingerprint(query) == known


def test_fingerprint_of_a_number_of_rows_stays_the_same():
    """It is asked for where it is private."""
    private = table_of_private_number(np.zeros((40, 3)), {"a": (0, 1), "b": (0, 1), "c": (0, 2)})
    known = "2:03244e7686b3aa7adc7e730d58341bc89453944d5ea5669b2895b7ed5168c228"
    assert fingerprint(RowsQuery(epsilon="0.1"), private) == known
    assert fingerprint(RowsQuery(epsilon="0.1", columns=["a", "b", "c"]), private) != known


def test_fingerprints_of_different_questions_differ():
    assert len({fingerprint(query) for query, _ in KNOWN.values()}) == len(KNOWN)


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
        Table.from_frame(np.zeros((41, 3)), {"a": (0, 1), "b": (0, 1), "c": (0, 2)}),
        Table.from_frame(np.zeros((40, 3)), {"a": (0, 1), "b": (0, 1), "c": (0, 3)}),
        Table.from_frame(np.zeros((40, 3)), {"a": (0, 1), "c": (0, 2), "b": (0, 1)}),
        Table.from_frame(np.zeros((40, 3)), {"a": (0, 1), "b": (0, 1), "c": (0, 2)}, rows_per_person=2),
    ],
)
def test_same_question_about_another_table_has_another_fingerprint(other):
    for query, known in KNOWN.values():
        assert fingerprint(query, other) != known
