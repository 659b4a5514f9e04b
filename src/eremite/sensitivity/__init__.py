"""How far one replaced row can move the outlier count: everywhere, here, and smoothly around here.

All but `global_bounds`, `most_moved`, `smallest_bound`, `smooth_bound_of_line`, `changes_listed`, `few_changes` and
`require_few_changes` depends on the rows, and is therefore as private as they are.
"""

from eremite.sensitivity.comparing import Comparison, lead
from eremite.sensitivity.dampening import dampened
from eremite.sensitivity.global_sensitivity import global_bounds, most_moved
from eremite.sensitivity.profile import local_profile, profile_function
from eremite.sensitivity.smooth import (
    Glimpse,
    changes_listed,
    count_with_bound,
    few_changes,
    glimpse,
    require_few_changes,
    smallest_bound,
    smooth_bound,
    smooth_bound_of_line,
)

__all__ = [
    "Comparison",
    "Glimpse",
    "changes_listed",
    "count_with_bound",
    "dampened",
    "few_changes",
    "glimpse",
    "global_bounds",
    "lead",
    "local_profile",
    "most_moved",
    "profile_function",
    "require_few_changes",
    "smallest_bound",
    "smooth_bound",
    "smooth_bound_of_line",
]
