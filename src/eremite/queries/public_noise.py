"""What is public about the noise of an answer, from its plan and what was drawn (claims P5 and P6)."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial

from eremite.mechanisms import BoundsAndRows
from eremite.mechanisms.margins import USUAL_SHARE
from eremite.queries.count import CountPlan, clamped
from eremite.queries.groups import CountByPlan
from eremite.queries.plan import Plan
from eremite.queries.reach import Between, BothSides, ByReach, Capped, CappedPair, CappedPairAndRows
from eremite.queries.report import ReportPlan
from eremite.release import ByGroup, Value
from eremite.release.noise import UNKNOWN, PublicNoise
from eremite.table import DeclaredTable

#: What a plan computes: the released value, or a count with what else was drawn.
Computed = Value | Between


def released_value(computed: Computed) -> Value:
    """The value of the answer."""
    return computed.value if isinstance(computed, Between) else computed


def public_noise(plan: Plan, computed: Computed, table: DeclaredTable) -> PublicNoise:
    """The figures of the noise of each count; `UNKNOWN` where no count has noise of a public scale."""
    counted: object = released_value(computed)
    match plan, counted:
        case CountPlan(), int():
            [drawn] = _drawn(computed, 1)
            return _figures(plan.noise, counted, drawn, plan.confidence, partial(clamped, table=table))
        case CountByPlan(), ByGroup():
            groups = zip(counted.values(), _drawn(computed, len(counted)), strict=True)
            each = [_figures(plan.noise, count, drawn, plan.confidence, partial(max, 0)) for count, drawn in groups]
            return PublicNoise.of_each(each)
        case ReportPlan(), tuple():
            sets = zip(counted, _drawn(computed, len(counted)), strict=True)
            clamp = partial(clamped, table=table)
            each = [
                _figures(plan.of_set(names, table).noise, count, drawn, USUAL_SHARE, clamp)
                for (names, count), drawn in sets
            ]
            return PublicNoise.of_each(each)
        case _:
            return UNKNOWN


def _drawn(computed: Computed, counts: int) -> tuple[BothSides | None, ...]:
    """What was drawn of each count from both sides."""
    return computed.drawn if isinstance(computed, Between) else (None,) * counts


def planned_reach(plan: Plan) -> int | None:
    """The reach that the plan of a count settled on, asked for or by the usual rule; None if it has none."""
    if isinstance(plan, CountPlan | CountByPlan) and isinstance(plan.noise, ByReach):
        return plan.noise.reach
    return None


def _figures(
    noise: object, count: int, drawn: BothSides | None, confidence: Fraction, clamp: Callable[[int], int]
) -> PublicNoise:
    """Those of one count. No end leaves what is public: a count is 0 or more, and at most N where that is."""
    if isinstance(noise, CappedPair | CappedPairAndRows) and drawn is not None:
        low, high = (clamp(end) for end in drawn.between(confidence))
        rows = (clamp(drawn.rows()), drawn.rows_within(confidence)) if isinstance(drawn, BoundsAndRows) else (None,) * 2
        return PublicNoise(
            reach=noise.reach,
            reach_above=noise.above,
            noise_scale=noise.scale,
            at_least=clamp(drawn.at_least()),
            interval=(low, high),
            confidence=float(confidence),
            rows=rows[0],
            rows_within=rows[1],
        )
    if not isinstance(noise, Capped):
        return UNKNOWN
    return PublicNoise(
        reach=noise.reach,
        noise_scale=noise.scale,
        noise_half_width=noise.noise.half_width(),
        at_least=noise.at_least(count),
        interval=noise.bounds(count, confidence),
        confidence=float(confidence),
    )
