"""How many unit vectors can lie pairwise at 60 degrees or more: a proved upper bound for every dimension.

Claims K1 and K2 of `kissing.proof.md`.
"""

from functools import cache

from eremite.errors import InputError

MOST_COLUMNS = 10_000

# Proved upper bounds for d = 1 ... 24; exact for 1-4, 8 and 24.
# fmt: off
_TABLE = (
    2, 6, 12, 24, 44, 78, 134, 240, 364, 554, 870, 1357, 2069, 3183, 4866, 7355, 11072, 16572, 24812, 36764, 54584,
    82340, 124416, 196560,
)
# fmt: on


@cache
def kissing_number_bound(d: int) -> int:
    """An upper bound on the kissing number K_d; exact integers, rounded up, also where floats would overflow."""
    if type(d) is not int or not 1 <= d <= MOST_COLUMNS:
        raise InputError(f"The number of columns must be a whole number from 1 to {MOST_COLUMNS:,}.")
    return _TABLE[d - 1] if d <= len(_TABLE) else _cap_area_bound(d)


def _cap_area_bound(d: int) -> int:
    """Claim K2: 2 / I_{1/4}((d - 1)/2, 1/2), enclosed by an interval and rounded up."""
    from flint import arb, ctx

    with ctx.workprec(128 + 2 * d):  # the integer has about 0.3 d digits; this much precision pins it down
        covered = (arb(1) / 4).beta_lower(arb(d - 1) / 2, arb(1) / 2, 1)
        mantissa, exponent = (2 / covered).upper().man_exp()
    # On integers from here: other threads share the precision, and an arb operation could meet a lower one.
    return int(mantissa) << int(exponent) if exponent >= 0 else -(-int(mantissa) >> -int(exponent))
