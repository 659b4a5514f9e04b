"""What a plan costs by zCDP: claim R2 of `subspaces.proof.md`."""

from fractions import Fraction

import numpy as np
import pytest

from eremite import OutlierDefinition, Table
from eremite.ledger import Cost
from eremite.queries import CountQuery, DetectQuery, ReportQuery, ScreenQuery, SubspacesQuery
from eremite.queries.subspaces import family_among

DEFINITION = OutlierDefinition(min_neighbors=3, radius=0.1)
EPSILON, DELTA = Fraction(3, 5), Fraction(1, 10**6)


def table(m):
    return Table.from_frame(np.zeros((40, 8)), dict.fromkeys("abcdefgh", (0, 1)), rows_per_person=m)


def searched(m, h=2, delta=0, utility="centered", selection="permute-and-flip"):
    family = family_among(table(m).columns, 2, None, None)
    return SubspacesQuery(
        definition=DEFINITION,
        subspaces=list(family),
        h=h,
        epsilon=EPSILON,
        delta=delta,
        utility=utility,
        selection=selection,
    ).plan(table(m))


@pytest.mark.parametrize("m", [1, 4])
def test_count_costs_its_epsilon_and_delta(m):
    assert CountQuery(definition=DEFINITION, epsilon=EPSILON).plan(table(m)).cost == Cost.pure(EPSILON)
    cost = CountQuery(definition=DEFINITION, epsilon=EPSILON, delta=DELTA, mechanism="gaussian").plan(table(m)).cost
    assert cost == Cost(epsilon=EPSILON, delta=DELTA, rho=EPSILON**2 / 2, rho_delta=DELTA)
    assert ScreenQuery(definition=DEFINITION, most_yes=3, epsilon=EPSILON).plan(table(m)).cost == Cost.pure(EPSILON)


@pytest.mark.parametrize("m", [1, 4])
def test_search_costs_its_steps_and_not_the_square_of_their_sum(m):
    """A person's m rows count m times in epsilon, and m^2 times in rho: so m cancels."""
    center, each = EPSILON / 5, EPSILON * 4 / 5 / 2
    assert searched(m).cost == Cost(epsilon=EPSILON, rho=center**2 / 2 + 2 * each**2 / 2)
    assert searched(m, selection="exponential").cost.rho == center**2 / 2 + 2 * each**2 / 8
    assert searched(m, utility="paper").cost.rho == 2 * (EPSILON / 2) ** 2 / 2
    assert searched(m).cost.rho < Cost.pure(EPSILON).rho


def test_search_that_uses_its_delta_has_none_by_zcdp():
    plan = searched(1, h=20, delta=DELTA)
    assert plan.selection == "exponential"
    rho = (EPSILON / 5) ** 2 / 2 + 20 * plan.each**2 / 8
    assert plan.cost == Cost(epsilon=EPSILON, delta=DELTA, rho=rho)


@pytest.mark.parametrize("m", [1, 4])
def test_detection_and_report_cost_their_steps(m):
    points, each = np.zeros((9, 8)), EPSILON / 3
    assert (
        DetectQuery(definition=DEFINITION, candidates=points, h=3, epsilon=EPSILON).plan(table(m)).cost.rho
        == 3 * each**2 / 2
    )
    assert (
        DetectQuery(definition=DEFINITION, candidates=None, h=3, epsilon=EPSILON).plan(table(m)).cost.rho
        == 3 * each**2 / 8
    )
    family = family_among(table(m).columns, 2, None, None)
    report = ReportQuery(definition=DEFINITION, subspaces=list(family), h=2, epsilon=EPSILON).plan(table(m))
    half = EPSILON / 2
    finding = 2 * (half / 2) ** 2 / 2
    assert report.cost == Cost(epsilon=EPSILON, rho=finding + 2 * (half / 2) ** 2 / 2)
