"""What a search for subspaces and a report spend, and what they refuse before they spend anything."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

from eremite import BudgetRefused, InputError, OutlierDefinition, Privacy, Session, Table
from eremite.engines import find_neighbors
from eremite.intervals import as_arb
from eremite.mechanisms import SmoothLaplace
from eremite.queries import ReportQuery, SubspacesQuery
from eremite.queries.count import per_row
from eremite.queries.report import ReportPlan
from eremite.queries.subspaces import (
    CENTER_SHARE,
    MOST_STEPS,
    MOST_SUBSPACES,
    _compared_scores,
    _dampened_scores,
    family_among,
)
from eremite.release.words import mechanism_in_words, searched_in_words
from eremite.sensitivity import dampened, glimpse, lead, most_moved, profile_function
from eremite.table import Bounds
from eremite.table.rules import CellRules
from tests.private_side import left_when_looking, refused_for_free
from tests.settled_scores import score_of

DEFINITION = OutlierDefinition(min_neighbors=2, radius=0.2)
NAMES = ("a", "b", "c", "d")
DELTA = Fraction(1, 10**6)


class ShapeOnly:
    """Stands for the rows, and has nothing but their number."""

    def __init__(self, d, n):
        self.shape = (d, n)


def rowless(d=4, n=30, rows_per_person=1):
    names = NAMES if d == 4 else [f"x{i}" for i in range(d)]
    return Table(CellRules.of({name: Bounds(0, 1) for name in names}), rows_per_person, _scaled=ShapeOnly(d, n))


def table(n=30, rows_per_person=1):
    rows = np.random.default_rng(2).random((n, 4))
    return Table.from_frame(rows, dict.fromkeys(NAMES, (0, 1)), rows_per_person=rows_per_person)


def plan(h=1, epsilon=1, delta=0, utility="centered", selection="permute-and-flip", table=None, max_size=2):
    table = table or rowless()
    family = family_among(table.columns, None, max_size, None)
    return SubspacesQuery(
        definition=DEFINITION,
        subspaces=list(family),
        h=h,
        epsilon=epsilon,
        delta=delta,
        utility=utility,
        selection=selection,
    ).plan(table)


# The family.


@pytest.mark.parametrize(
    "given",
    [
        (None, None, None),
        (1, 2, None),
        (1, None, [["a"]]),
        (None, 1, [["a"]]),
        (1, 1, [["a"]]),
    ],
)
def test_family_is_named_in_one_way(given):
    with pytest.raises(InputError, match="Give one of size, max_size and subspaces"):
        family_among(rowless().columns, *given)


def test_family_holds_what_was_asked_for():
    assert list(family_among(rowless().columns, 1, None, None)) == [("a",), ("b",), ("c",), ("d",)]
    assert family_among(rowless().columns, None, 3, None).count == 4 + 6 + 4
    assert list(family_among(rowless().columns, None, None, [["c", "a"], ("b",)])) == [("a", "c"), ("b",)]


@pytest.mark.parametrize(
    "given",
    [
        (0, None, None),
        (5, None, None),
        (True, None, None),
        ("2", None, None),
        (None, 0, None),
        (None, 2.0, None),
        (None, None, []),
        (None, None, "ab"),
        (None, None, ["a"]),
        (None, None, [[]]),
        (None, None, [["a", "a"]]),
        (None, None, [["z"]]),
        (None, None, [["a", "b"], ["b", "a"]]),
    ],
    ids=str,
)
def test_family_that_does_not_fit_is_refused(given):
    with pytest.raises(InputError):
        family_among(rowless().columns, *given)


@pytest.mark.parametrize("subspaces", [np.array([["a"], ["b"]]), np.array([]), 5], ids=["array", "empty array", "5"])
def test_family_that_is_no_list_is_taken_or_refused(subspaces):
    """As `columns` is in other requests."""
    try:
        assert family_among(rowless().columns, None, None, subspaces).count == 2
    except InputError:
        return


def test_family_too_large_is_refused_with_its_count_before_anything_is_charged():
    """60 columns, 8 at a time: 2,558,620,845 subspaces of ten rows."""
    names = [f"x{i}" for i in range(60)]
    wide = Table.from_frame(np.zeros((10, 60)), dict.fromkeys(names, (0, 1)))
    session = Session(wide, epsilon=1)
    for ask in (
        lambda: session.top_subspaces(DEFINITION, h=1, size=8, epsilon=1),
        lambda: session.outlier_report(DEFINITION, h=1, size=8, epsilon=1),
    ):
        with pytest.raises(InputError, match=r"There are 2,558,620,845 such .*choose a smaller size or list"):
            ask()
    assert session.remaining == Privacy(Fraction(1))


def test_family_of_astronomical_size_is_refused_in_a_short_sentence():
    """The number of all sets of 20,000 columns has more digits than Python writes."""
    with pytest.raises(InputError, match="There are more than 1,000,000,000,000,000 such subspaces") as refused:
        family_among(rowless(20_000).columns, None, 20_000, None)
    assert len(str(refused.value)) < 300


def test_search_with_too_many_draws_is_refused_before_anything_is_charged():
    """Every draw looks at every candidate: a million out of a million would never end."""
    with pytest.raises(InputError, match="Naming 50,000 of 9,531,039 subspaces takes more than"):
        SubspacesQuery(
            definition=DEFINITION, max_size=6, h=50_000, epsilon=1, utility="paper", selection="exponential"
        ).plan(rowless(45))


def test_family_of_ten_million_is_the_most():
    """Up to six columns of 45, and of 46."""
    assert family_among(rowless(45).columns, None, 6, None).count == 9_531_039 <= MOST_SUBSPACES
    with pytest.raises(InputError, match="There are 10,917,019"):
        family_among(rowless(46).columns, None, 6, None)


# What is spent.


@pytest.mark.parametrize("h", [1, 2, 7])
@pytest.mark.parametrize("m", [1, 4])
def test_center_and_draws_spend_epsilon_exactly(h, m):
    made = plan(h, "0.7", table=rowless(rows_per_person=m))
    assert made.center.epsilon == Fraction(7, 10) / m * CENTER_SHARE
    assert made.center.epsilon + h * made.each == Fraction(7, 10) / m
    assert made.privacy == Privacy(Fraction(7, 10))


@pytest.mark.parametrize("utility", ["compared", "dampened", "paper"])
def test_without_a_center_the_draws_spend_all(utility):
    made = plan(3, "0.6", utility=utility)
    assert made.center is None
    assert 3 * made.each == Fraction(6, 10)


def test_plan_is_made_without_rows():
    assert plan(2) == plan(2, table=table())


def zcdp_total(each, delta, h):
    """h epsilon_0^2 / 8 + 2 sqrt(... ln(1 / delta)), enclosed."""
    rho = as_arb(Fraction(h) * each * each / 8)
    return rho + 2 * (rho * -as_arb(delta).log()).sqrt()


@pytest.mark.long
@pytest.mark.parametrize("utility", ["compared", "centered", "dampened", "paper"])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "8"])
@pytest.mark.parametrize("m", [1, 3])
def test_delta_is_used_where_it_gives_more_and_nowhere_else(utility, epsilon, m):
    """Both sides of where the two ways cross are met. zCDP never spends more than there is, and nearly all of it."""
    used = []
    for h in range(1, 200):
        some = rowless(10, rows_per_person=m)
        made = plan(h, epsilon, DELTA, utility, table=some, max_size=4)
        row = per_row(Privacy(Fraction(epsilon), DELTA), m)
        left = row.epsilon - (made.center.epsilon if made.center else 0)
        used.append(made.privacy.delta > 0)
        with ctx.workprec(200):
            if used[-1]:
                assert (made.privacy.delta, made.selection) == (DELTA, "exponential")
                assert made.each > left / h
                assert zcdp_total(made.each, row.delta, h) <= as_arb(left)
                assert zcdp_total(made.each + Fraction(1, 2**60), row.delta, h) > as_arb(left)
            else:
                assert (made.privacy.delta, made.selection) == (0, "permute-and-flip")
                assert made.each == left / h
                assert zcdp_total(made.each, row.delta, h) >= as_arb(left) * (1 - arb(2) ** -50)
    assert used == sorted(used)  # few draws do without, many use it
    assert used[0] is False
    assert used[-1] is True


def test_no_delta_is_never_used():
    assert plan(10, max_size=2).privacy == Privacy(Fraction(1))
    assert plan(10, selection="exponential").selection == "exponential"


def test_limit_leaves_what_is_cut_off_no_chance():
    """All candidates that lie further below the center than the limit have at most a millionth between them."""
    for h, epsilon in ((1, "0.01"), (5, "1"), (10, "20")):
        made = plan(h, epsilon)
        assert made.family.count * np.exp(-float(made.each) / 2 * made.limit) <= 1e-6


def test_limit_of_compared_counts_is_bounded_for_every_epsilon():
    assert plan(10, "0.001", utility="compared").limit == MOST_STEPS
    assert plan(1, 4, utility="compared").limit == plan(1, 5).limit < MOST_STEPS


# A report.


@pytest.mark.parametrize("h", [1, 3, 7])
@pytest.mark.parametrize("delta", [0, DELTA])
def test_report_spends_its_parts_and_no_more(h, delta):
    made = ReportQuery(definition=DEFINITION, max_size=2, h=h, epsilon="0.7", delta=delta).plan(rowless())
    assert made.finding.privacy.epsilon == Fraction(35, 100)
    assert made.each_count * h == Fraction(35, 100)
    assert made.privacy == Privacy(Fraction(7, 10), made.finding.privacy.delta)


def test_report_of_many_subspaces_charges_the_delta_it_uses():
    some = rowless(10)
    made = ReportQuery(definition=DEFINITION, max_size=4, h=150, epsilon=4, delta=DELTA).plan(some)
    assert made.finding.selection == "exponential"
    assert made.privacy == Privacy(Fraction(4), DELTA)


def test_report_charges_one_sum_and_counts_in_each_winner(monkeypatch):
    plans = []
    real = ReportPlan.compute
    monkeypatch.setattr(ReportPlan, "compute", lambda *given: plans.append(given[0]) or real(*given))
    session = Session(table(rows_per_person=2), epsilon=5)
    release = session.outlier_report(DEFINITION, h=3, max_size=2, epsilon=3)
    assert session.remaining == Privacy(Fraction(2))
    assert (release.epsilon, release.delta) == (3, 0)
    assert len({subspace for subspace, _ in release.value}) == 3
    assert all(0 <= count <= 30 for _, count in release.value)
    assert plans[0].privacy == Privacy(Fraction(3))
    assert 3 * plans[0].finding.each == Fraction(3, 4)  # of a row, of two


def test_report_too_thin_to_count_is_refused_before_it_is_charged():
    told = refused_for_free(
        table(), lambda session: session.outlier_report(DEFINITION, h=10, max_size=2, epsilon="1e-5")
    )
    assert "with less, the answer is nothing but noise" in told


# Refusals.

BAD = [
    {"h": 0},
    {"h": 11},
    {"h": True},
    {"h": 1.0},
    {"h": None},
    {"epsilon": 0},
    {"epsilon": 21},
    {"epsilon": "nan"},
    {"delta": 1},
    {"delta": -1},
    {"max_size": 5},
    {"max_size": None},
    {"size": 1},
    {"subspaces": [["a"]]},
    {"definition": None},
    {"definition": OutlierDefinition(min_neighbors=30, radius=0.1)},
    {"definition": OutlierDefinition(min_neighbors=3, radius=1)},
]


@pytest.mark.parametrize("bad", BAD, ids=str)
@pytest.mark.parametrize("query", ["top_subspaces", "outlier_report"])
def test_bad_request_for_subspaces_spends_nothing_and_looks_at_nothing(query, bad):
    request = {"definition": DEFINITION, "h": 1, "max_size": 2, "epsilon": 0.5} | bad
    assert refused_for_free(table(), lambda session: getattr(session, query)(**request))


@pytest.mark.parametrize("bad", [{"utility": "best"}, {"utility": None}, {"selection": "gumbel"}, {"selection": 1}])
def test_unknown_ways_are_refused(bad):
    with pytest.raises(InputError, match=f"{next(iter(bad))} must be one of "):
        plan(**bad)


def test_refused_search_spends_nothing():
    request = {"definition": DEFINITION, "h": 1, "size": 1, "epsilon": "1.000001"}
    assert refused_for_free(table(), lambda session: session.top_subspaces(**request), BudgetRefused)


@pytest.mark.parametrize("query", ["top_subspaces", "outlier_report"])
def test_charge_for_subspaces_is_made_before_a_row_is_looked_at(query):
    request = {"definition": DEFINITION, "h": 1, "max_size": 2, "epsilon": 0.25}
    left = left_when_looking(table(), lambda session: getattr(session, query)(**request))
    assert left == Privacy(Fraction(3, 4))


@pytest.mark.parametrize("utility", ["compared", "centered", "dampened", "paper"])
def test_release_names_what_ran_and_nothing_else(utility):
    session = Session(table(), epsilon=10)
    release = session.top_subspaces(DEFINITION, h=2, size=2, epsilon=1, utility=utility)
    assert len(set(release.value)) == 2
    assert set(release.value) <= set(family_among(table().columns, 2, None, None))
    assert release.mechanism == "permute-and-flip"
    assert dict(release.parameters) == {"h": 2, "size": 2, "utility": utility}
    assert searched_in_words(release) == "all 6 sets of 2 columns"
    assert mechanism_in_words(release) == f"{utility}, permute-and-flip"


def test_all_candidates_drawn_come_each_once():
    session = Session(table(), epsilon=1, delta="1e-6")
    release = session.top_subspaces(DEFINITION, h=10, max_size=2, epsilon=1, delta="1e-6")
    assert sorted(release.value) == sorted(family_among(table().columns, None, 2, None))


# The center: what the attacks assume of it, seen in the code that runs.


def families():
    """In both orders: the largest bound comes early in one and late in the other."""
    listed = list(family_among(table().columns, None, 2, None))
    return [family_among(table().columns, None, None, order) for order in (listed, listed[::-1])]


def centered_plan(family, h):
    return SubspacesQuery(definition=DEFINITION, subspaces=list(family), h=h, epsilon=2, utility="centered").plan(
        table()
    )


def looks_of(family, decay):
    """The count and the smooth bound of each subspace, from nothing known."""
    found = [glimpse(table().points(s), DEFINITION, decay, Fraction(0), find_neighbors) for s in family]
    return [look.outliers for look, _ in found], [bound for _, bound in found]


@pytest.mark.parametrize(("k", "size", "utility"), [(5, 1, "paper"), (6, 1, "compared"), (2, 2, "compared")])
def test_auto_compares_counts_unless_a_row_moves_little(k, size, utility):
    """Public facts decide: 2k + 1 in one column, more in others."""
    definition, family = (
        OutlierDefinition(min_neighbors=k, radius=0.2),
        family_among(rowless().columns, size, None, None),
    )
    made = SubspacesQuery(definition=definition, subspaces=list(family), h=1, epsilon=1).plan(rowless())
    assert (made.utility, made.center) == (utility, None)


@pytest.mark.parametrize(
    ("columns", "h", "utility"), [(40, 1, "compared"), (40, 10, "compared"), (40, 11, "centered"), (41, 1, "centered")]
)
def test_auto_takes_a_center_where_there_are_too_many_to_compare(columns, h, utility):
    """9,880 triples of 40 columns, 10,660 of 41."""
    asked = {"definition": DEFINITION, "size": 3, "h": h, "epsilon": 1}
    made = SubspacesQuery(**asked).plan(rowless(columns))
    assert (made.utility, made.center is None) == (utility, utility == "compared")
    if utility == "centered":
        with pytest.raises(InputError, match="At most 10,000 subspaces are compared with each other"):
            SubspacesQuery(**asked, utility="compared").plan(rowless(columns))


@pytest.mark.parametrize("utility", ["compared", "centered", "dampened", "paper"])
def test_progress_counts_the_subspaces_once_each(utility):
    told = []
    plan(1, utility=utility, table=table()).compute(table(), told.append)
    assert told == list(range(1, 11))


@pytest.mark.parametrize("h", [1, 2, 5, 10])
def test_center_is_drawn_once_between_the_hth_largest_count_and_the_next_with_the_largest_bound(monkeypatch, h):
    """Claim C1."""
    for family in families():
        made, asked = centered_plan(family, h), []
        monkeypatch.setattr(SmoothLaplace, "draw", lambda *given, asked=asked: asked.append(given) or 3)
        made.compute(table())
        counts, bounds = looks_of(family, made.center.decay)
        assert len(set(counts)) > 3
        assert max(bounds) > min(bounds)
        falling = [*sorted(counts, reverse=True), min(counts)]
        assert asked == [(made.center, (falling[h - 1] + falling[h]) // 2, max(bounds))]


@pytest.mark.parametrize(("drawn", "center"), [(-5, 0), (0, 0), (7, 7), (30, 30), (10**6, 30)])
def test_scores_are_those_of_the_center_that_was_drawn(monkeypatch, drawn, center):
    """Clamped to the counts there can be; no count itself takes its place."""
    monkeypatch.setattr(SmoothLaplace, "draw", lambda *_: drawn)
    for family in families():
        made = centered_plan(family, 2)
        scores = _dampened_scores(table(), made, lambda _: None)
        for i, (subspace, count) in enumerate(zip(family, looks_of(family, made.center.decay)[0], strict=True)):
            sizes = profile_function(table().points(subspace), DEFINITION, 40)
            wanted = dampened(count - center, sizes, made.limit, most_moved(30, len(subspace), 2))
            assert score_of(scores, i) == wanted


# Counts compared with each other.


@pytest.mark.parametrize("h", [1, 2, 5, 9, 10])
@pytest.mark.parametrize("epsilon", [Fraction(1, 100), Fraction(2), Fraction(20)])
def test_scores_that_compare_are_the_hth_smallest_leads(h, epsilon):
    """Claim C5, by the profiles and caps of a release; the largest where all are named."""
    made = plan(h, epsilon, utility="compared", table=table())
    family = list(made.family)
    profiles = [profile_function(table().points(s), DEFINITION, 40) for s in family]
    sizes = [[profile(step) for step in range(40)] for profile in profiles]
    counts = looks_of(family, Fraction(1, 2))[0]
    most = [most_moved(30, len(subspace), 2) for subspace in family]
    scores = _compared_scores(table(), made, lambda _: None)
    for i in range(10):
        leads = sorted(
            lead(counts[i] - counts[j], sizes[i].__getitem__, sizes[j].__getitem__, made.limit, most[i] + most[j])
            for j in range(10)
            if j != i
        )
        wanted = leads[min(h, 9) - 1]
        assert score_of(scores, i) == wanted
