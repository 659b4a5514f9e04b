"""What is public about the noise of an answer, from its plan and what was drawn (claims P5 and P6)."""

from fractions import Fraction

from eremite.mechanisms.margins import USUAL_SHARE
from eremite.queries.count import CountPlan, clamped
from eremite.queries.groups import CountByPlan
from eremite.queries.plan import Plan
from eremite.queries.reach import Between, Capped, CappedPair
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
    counted: object = computed
    match plan, counted:
        case CountPlan(), Between():
            return _of_both_sides(plan, counted, table)
        case CountPlan(), int():
            return _figures(plan.noise, counted, plan.confidence)
        case CountByPlan(), ByGroup():
            return PublicNoise.of_each([_figures(plan.noise, count, plan.confidence) for count in counted.values()])
        case ReportPlan(), tuple():
            counts = [(plan.of_set(names, table), count) for names, count in counted]
            return PublicNoise.of_each([_figures(one.noise, count, USUAL_SHARE) for one, count in counts])
        case _:
            return UNKNOWN


def planned_reach(plan: Plan) -> int | None:
    """The reach that the plan of a count settled on, asked for or by the usual rule; None if it has none."""
    if isinstance(plan, CountPlan | CountByPlan) and isinstance(plan.noise, Capped | CappedPair):
        return plan.noise.reach
    return None


def _figures(noise: object, count: int, confidence: Fraction) -> PublicNoise:
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


def _of_both_sides(plan: CountPlan, counted: Between, table: DeclaredTable) -> PublicNoise:
    """No end leaves what is public: a count is 0 or more, and at most N where that is."""
    noise = plan.noise
    assert isinstance(noise, CappedPair)  # it drew both sides  # noqa: S101
    low, high = (clamped(end, table) for end in counted.drawn.between(plan.confidence))
    return PublicNoise(
        reach=noise.reach,
        reach_above=noise.above,
        noise_scale=noise.scale,
        at_least=clamped(counted.drawn.at_least(), table),
        interval=(low, high),
        confidence=float(plan.confidence),
    )
