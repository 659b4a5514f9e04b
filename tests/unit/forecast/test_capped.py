"""How far off counts of bounded reach are: what is computed agrees with noise that is drawn."""

from fractions import Fraction

import numpy as np
import pytest

from eremite import OutlierDefinition, Table
from eremite.forecast.capped import Excess, errors_of_pair, excess_of
from eremite.outliers import count_outliers
from eremite.queries.reach import for_pair
from eremite.reach import count_of_reach
from eremite.sensitivity.relation import Relation

DRAWS = 400_000


def drawn(pair, excess):
    """Errors of counts from both sides: a place on a square whose size has a Gamma distribution."""
    rng = np.random.default_rng(3)
    size, place, side = rng.gamma(2, 1, DRAWS), rng.uniform(-1, 1, DRAWS), rng.integers(0, 4, DRAWS)
    first, second = (np.where(side == one, 1, np.where(side == one + 1, -1, place)) for one in (0, 2))
    scales = [float(scale / pair.noise.epsilon) for scale in (pair.noise.below, pair.noise.above)]
    low, high = scales[0] * size * first - excess.below, scales[1] * size * second + excess.above
    rise = np.minimum(float(pair.noise.weight) * (high - low), float(pair.noise.furthest))
    ends = low - float(pair.noise.margin() * pair.noise.step(0)), high + float(pair.noise.margin() * pair.noise.step(1))
    answer = np.clip(low + rise, np.minimum(*ends), np.maximum(*ends))
    return np.abs(answer), np.abs(ends[1] - ends[0])


@pytest.mark.parametrize("share", [0.5, 0.95])
@pytest.mark.parametrize(
    ("epsilon", "below", "above", "reaches"),
    [(1, 0, 0, (3, 6)), (1, 10, 40, (2, 8)), ("0.2", 100, 3, (1, 5)), (2, 0, 90, (1, 3))],
)
def test_errors_of_a_pair_are_those_of_its_noise_and_of_rows_too_few_and_too_many(
    epsilon, below, above, reaches, share
):
    pair, excess = for_pair(*reaches, Fraction(epsilon), "replace", 1), Excess(None, below, above)
    off, lengths = drawn(pair, excess)
    found = errors_of_pair(pair, excess)
    assert found.off_by(share) == pytest.approx(np.quantile(off, share), rel=0.02)
    assert found.length(share) == pytest.approx(np.quantile(lengths, share), rel=0.02)


def test_excess_of_public_rows_is_what_both_sides_have_beside_the_count():
    rows = np.random.default_rng(1).random((300, 2))
    table = Table.from_frame(rows, bounds={"a": (0, 1), "b": (0, 1)})
    definition, pair = OutlierDefinition(min_neighbors=3, radius=0.05), for_pair(1, 4, Fraction(1), "replace", 1)
    found = excess_of(table.part(("a", "b"), ()), definition, pair, Relation("replace", 300))
    below, above = (
        sum(count_of_reach(rows, definition, reach, side)) / 2 for reach, side in ((1, "below"), (4, "above"))
    )
    assert found.outliers == count_outliers(rows, definition)
    assert found.below == pytest.approx(float(found.outliers - below), abs=0.02)
    assert found.above == pytest.approx(float(above - found.outliers), abs=0.02)
    assert found.below > 0
    assert found.times(2).above == 2 * found.above
