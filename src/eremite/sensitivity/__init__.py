"""How far one replaced row can move the outlier count: everywhere, here, and smoothly around here.

All of it but the global bounds depends on the rows, and is therefore as private as they are.
"""

from eremite.sensitivity.everywhere import global_bounds
from eremite.sensitivity.profile import local_profile
from eremite.sensitivity.smooth import smooth_bound

__all__ = ["global_bounds", "local_profile", "smooth_bound"]
