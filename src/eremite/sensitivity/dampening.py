"""A count measured in replaced rows instead of outliers (`dampening.proof.md`).

theory     here
c          the public number the walk starts from; gap = q - c
A^(t)      profile(t)
D_t        what t steps can bridge, A^(0) + ... + A^(t-1)
u          the returned fraction
"""

from collections.abc import Callable
from fractions import Fraction

Profile = Callable[[int], int]


def dampened(gap: int, profile: Profile, limit: int, most: int) -> Fraction:
    """How many steps lead from c to the count: step t bridges A^(t). Negative below c, where from step `limit` on, 1 or
    more, a step bridges `most`, the cap of the profile. The profile never falls, so it stays at the cap once there.

    1-Lipschitz in the table for an admissible profile: replacing one row moves it by at most 1 (claims U1, U2).
    """
    left, step = abs(gap), 0
    while gap > 0 or step < limit:
        size = profile(step)
        if left <= size or size >= most:
            steps = step + Fraction(left, size)
            return steps if gap > 0 else -steps
        left -= size
        step += 1
    return -(limit + Fraction(left, most))
