from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from eremite import InputError, OutlierDefinition, Privacy, Table
from eremite.mechanisms import entropy
from eremite.queries import CountQuery
from eremite.queries.count import per_row
from eremite.queries.public_noise import released_value
from eremite.table import Bounds
from eremite.table.rules import CellRules

DEFINITION = OutlierDefinition(min_neighbors=3, radius=0.1)
BOUNDS = {"a": Bounds(0, 1), "b": Bounds(0, 1), "c": Bounds(0, 1)}
BOUNDED = ["smooth-laplace", "global-laplace", "gaussian", "gaussian-paper", "global-gaussian"]
MECHANISMS = ["reach", "reach-gaussian", *BOUNDED]


class ShapeOnly:
    """Stands for the rows, and has nothing but their number."""

    def __init__(self, n_rows):
        self.shape = (len(BOUNDS), n_rows)


def rowless(n_rows=60, rows_per_person=1):
    return Table(CellRules.of(BOUNDS), rows_per_person, _scaled=ShapeOnly(n_rows))


def table(n_rows=60, rows_per_person=1):
    rows = np.random.default_rng(5).random((n_rows, len(BOUNDS)))
    return Table.from_frame(rows, bounds=BOUNDS, rows_per_person=rows_per_person)


def plan(table, columns=None, epsilon=0.5, delta=0, mechanism="auto", definition=DEFINITION):
    return CountQuery(definition=definition, columns=columns, epsilon=epsilon, delta=delta, mechanism=mechanism).plan(
        table
    )


def fixed_bits(monkeypatch, first):
    """A uniform number whose first 64 bits are these, and whose other bits are 0."""
    bits = iter([first])
    monkeypatch.setattr(entropy, "system_bits", lambda n: next(bits, 0))


@pytest.mark.parametrize("mechanism", ["auto", *MECHANISMS])
def test_plan_is_made_without_rows(mechanism):
    """Auto and all: the plan of a table that has no rows to look at is that of any table with as many."""
    made = plan(rowless(), ["b", "a"], 0.5, 1e-6, mechanism)
    assert made == plan(table(), ["b", "a"], 0.5, 1e-6, mechanism)
    assert made.columns == ("b", "a")


def test_columns_default_to_all_and_may_come_from_a_generator():
    assert plan(rowless()).columns == ("a", "b", "c")
    assert plan(rowless(), (name for name in ("c", "a"))).columns == ("c", "a")
    assert plan(rowless(), np.array(["c", "a"])).columns == ("c", "a")


@pytest.mark.parametrize("columns", [[], "a", ["a", "a"], ["z"], {"a"}, [1], 5, iter([])])
def test_columns_that_do_not_fit_are_refused(columns):
    with pytest.raises(InputError):
        plan(rowless(), columns)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"epsilon": 0}, "above 0"),
        ({"epsilon": 21}, "at most 20"),
        ({"epsilon": True}, "must be a number"),
        ({"delta": 1}, "below 1"),
        ({"mechanism": "laplace"}, "mechanism must be one of auto, reach, reach-pair, smooth-laplace"),
        ({"mechanism": None}, "mechanism must be one of"),
        ({"mechanism": "gaussian"}, "needs a delta"),
        ({"mechanism": "gaussian-paper"}, "needs a delta"),
        ({"mechanism": "global-gaussian"}, "needs a delta"),
        ({"mechanism": "gaussian-paper", "delta": 1e-6, "epsilon": 1}, "below 1 only"),
        ({"definition": (3, 0.1)}, "OutlierDefinition"),
        ({"mechanism": "reach-gaussian"}, "needs a delta"),
        ({"definition": OutlierDefinition(min_neighbors=31, radius=0.1)}, "table of 60 rows: .* choose at most 30"),
        ({"definition": OutlierDefinition(min_neighbors=3, radius=1.0)}, "radius 1.0 does not fit"),
    ],
    ids=str,
)
def test_request_that_does_not_fit_is_refused(change, words):
    with pytest.raises(InputError, match=words):
        plan(rowless(), **change)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_delta_is_spent_only_where_the_mechanism_uses_one(mechanism):
    spent = plan(rowless(), None, "0.5", "1e-6", mechanism).privacy
    pure = mechanism in ("reach", "smooth-laplace", "global-laplace")
    assert spent == Privacy(Fraction(1, 2), Fraction(0) if pure else Fraction(1, 10**6))


@pytest.mark.parametrize("mechanism", BOUNDED)
def test_rows_of_a_person_share_what_is_spent(mechanism):
    made = plan(rowless(rows_per_person=4), None, "0.5", "1e-6", mechanism)
    assert made.privacy.epsilon == Fraction(1, 2)
    assert made.noise.epsilon == Fraction(1, 8)
    if made.privacy.delta:
        assert made.noise.delta == per_row(made.privacy, 4).delta < made.privacy.delta / 4


@pytest.mark.parametrize(("epsilon", "delta", "m"), [("0.5", "1e-6", 4), ("20", "1e-9", 7), ("0.001", "0.1", 1000)])
def test_deltas_of_a_persons_rows_add_up(epsilon, delta, m):
    """m steps of (epsilon / m, d) make epsilon and d (e^epsilon - 1) / (e^(epsilon / m) - 1): at most delta, barely."""
    whole = Privacy(Fraction(epsilon), Fraction(delta))
    each = per_row(whole, m)
    assert each.epsilon * m == whole.epsilon
    with localcontext() as context:
        context.prec = 80
        grown = [Decimal(e.numerator) / e.denominator for e in (whole.epsilon, each.epsilon)]
        share = (grown[1].exp() - 1) / (grown[0].exp() - 1)
        given = Decimal(each.delta.numerator) / each.delta.denominator / Decimal(delta)
        assert 0 <= share - given < Decimal(2) ** -62


def test_one_row_a_person_or_no_delta_changes_nothing_but_epsilon():
    whole = Privacy(Fraction(1, 2), Fraction(1, 10**6))
    assert per_row(whole, 1) == whole
    assert per_row(Privacy(Fraction(1, 2)), 5) == Privacy(Fraction(1, 10))


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize(("first", "value"), [(1, 0), (2**64 - 2, 60)])
def test_value_stays_between_0_and_the_number_of_rows(monkeypatch, mechanism, first, value):
    fixed_bits(monkeypatch, first)
    assert plan(table(), None, 0.5, 1e-6, mechanism).compute(table()) == value


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_value_is_a_plain_integer(mechanism):
    assert type(plan(table(), None, 0.5, 1e-6, mechanism).compute(table())) is int


def test_value_is_near_the_count_in_the_chosen_columns(monkeypatch):
    """With U just above 1/2 the noise is 0 or the least there is."""
    fixed_bits(monkeypatch, 2**63)
    rows = np.random.default_rng(2).random((60, 3))
    rows[:, 0] = 0.5  # all alike in a: no outliers there, and some elsewhere
    made = Table.from_frame(rows, bounds=BOUNDS)
    assert released_value(plan(made, ["a"], 20).compute(made)) == 0
    fixed_bits(monkeypatch, 2**63)
    assert released_value(plan(made, ["b", "c"], 20).compute(made)) > 10
