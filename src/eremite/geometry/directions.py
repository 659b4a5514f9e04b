"""How many directions can lie pairwise at 60 degrees, or less by what rounding may take from them (claim K4).

Kissing numbers bound directions at 60 degrees exactly. Distances are compared after rounding, and the best bounds on
kissing numbers are not known to hold at an angle that is a little smaller. These do: a cosine of up to 1/2 + 1e-9. Each
number is computed, in fractions, from a polynomial that proves it.
"""

from fractions import Fraction
from functools import cache

from eremite.geometry.kissing import kissing_number_bound

_COSINE = Fraction(1, 2) + Fraction(1, 10**9)

# The polynomial (t - cosine) (t - a)^2 (t - b)^2 ..., times t + 1 where that is said: millionths of a, b, ... These are
# near the roots of Levenshtein's; others would prove something weaker, never something wrong.
# fmt: off
_ROOTS: dict[int, tuple[bool, tuple[int, ...]]] = {
    4: (False, (-788675, -211325)),
    5: (False, (-714286, -142857)),
    6: (True, (-619258, -80742)),
    7: (True, (-548681, -33137)),
    8: (False, (-1000000, -500000, 0)),
    9: (False, (-807251, -419959, 38531)),
    10: (False, (-715578, -354764, 70342)),
    11: (False, (-660582, -306104, 95718)),
    12: (False, (-621672, -269824, 115633)),
    13: (True, (-587040, -239705, 132009)),
    14: (True, (-543598, -205557, 149155)),
    15: (True, (-513297, -180038, 162722)),
    16: (False, (-875764, -478395, -154608, 175433)),
    17: (False, (-726259, -429513, -124360, 189224)),
    18: (False, (-655203, -386625, -97325, 201653)),
    19: (False, (-614661, -353325, -74670, 212467)),
    20: (False, (-587306, -328013, -56304, 221623)),
    21: (False, (-566554, -308328, -41563, 229221)),
    22: (True, (-539711, -285582, -25730, 236988)),
    23: (True, (-517128, -265542, -11423, 244120)),
    24: (False, (-1000000, -500000, -250000, 0, 250000)),
}
# fmt: on


@cache
def directions_bound(d: int) -> int:
    """At least as many as there can be unit vectors with pairwise cosines of at most 1/2 + 1e-9. Public.

    In more than 24 columns: at pairwise angles of 60 degrees less what rounding takes from them (claim K4).
    """
    if d not in _ROOTS:
        return kissing_number_bound(d)
    with_minus_one, millionths = _ROOTS[d]
    roots = [Fraction(root, 10**6) for root in millionths]
    return proved_by([_COSINE, *roots, *roots, *[Fraction(-1)] * with_minus_one], d)


def proved_by(roots: list[Fraction], d: int) -> int:
    """f(1) / f_0, rounded down, for the polynomial f with these roots; an error if a coefficient f_j is negative."""
    zero, polynomial = Fraction(0), [Fraction(1)]
    for root in roots:
        polynomial = [a - root * b for a, b in zip([zero, *polynomial], [*polynomial, zero], strict=True)]
    expanded = _expanded(polynomial, d)
    if expanded[0] <= 0 or min(expanded) < 0:
        raise ArithmeticError(f"The polynomial for {d} columns proves nothing.")
    return int(sum(polynomial) / expanded[0])


def _expanded(polynomial: list[Fraction], d: int) -> list[Fraction]:
    """The coefficients in the polynomials P_j of the sphere in d dimensions, P_j(1) = 1 (Gegenbauer's).

    From (2j + d - 2) t P_j = (j + d - 2) P_{j+1} + j P_{j-1}, power by power.
    """
    total = [Fraction(0)] * len(polynomial)
    power = [Fraction(1)]
    for coefficient in polynomial:
        for j, part in enumerate(power):
            total[j] += coefficient * part
        raised = [Fraction(0)] * (len(power) + 1)
        for j, part in enumerate(power):
            raised[j + 1] += part * Fraction(j + d - 2, 2 * j + d - 2)
            if j > 0:
                raised[j - 1] += part * Fraction(j, 2 * j + d - 2)
        power = raised
    return total
