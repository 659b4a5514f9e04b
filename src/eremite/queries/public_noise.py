"""What is public about the noise of an answer, from its plan and the released value (claim P5)."""

from eremite.queries.count import CountPlan
from eremite.queries.groups import CountByPlan
from eremite.queries.plan import Plan
from eremite.queries.reach import Capped
from eremite.queries.report import ReportPlan
from eremite.release import ByGroup, Value
from eremite.release.noise import UNKNOWN, PublicNoise
from eremite.table import DeclaredTable


def public_noise(plan: Plan, value: Value, table: DeclaredTable) -> PublicNoise:
    """The figures of the noise of each count; `UNKNOWN` where no count has noise of a public scale."""
    counted: object = value
    match plan, counted:
        case CountPlan(), int():
            return _figures(plan.noise, counted)
        case CountByPlan(), ByGroup():
            return PublicNoise.of_each([_figures(plan.noise, count) for count in counted.values()])
        case ReportPlan(), tuple():
            return PublicNoise.of_each([_figures(plan.of_set(names, table).noise, count) for names, count in counted])
        case _:
            return UNKNOWN


def planned_reach(plan: Plan) -> int | None:
    """The reach that the plan of a count settled on, asked for or by the usual rule; None if it has none."""
    if isinstance(plan, CountPlan | CountByPlan) and isinstance(plan.noise, Capped):
        return plan.noise.reach
    return None


def _figures(noise: object, count: int) -> PublicNoise:
    if not isinstance(noise, Capped):
        return UNKNOWN
    return PublicNoise(
        reach=noise.reach,
        noise_scale=noise.scale,
        noise_half_width=noise.noise.half_width(),
        at_least=noise.at_least(count),
    )
