"""How far one replaced row can move the outlier count: everywhere, here, and smoothly around here.

All but `global_bounds`, `most_moved` and `smallest_bound` depends on the rows, and is therefore as private as they are.
"""

from eremite.sensitivity.everywhere import global_bounds, most_moved
from eremite.sensitivity.profile import local_profile
from eremite.sensitivity.smooth import count_with_bound, smallest_bound, smooth_bound

__all__ = [
    "count_with_bound",
    "global_bounds",
    "local_profile",
    "most_moved",
    "smallest_bound",
    "smooth_bound",
]
