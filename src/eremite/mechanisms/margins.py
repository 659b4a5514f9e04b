"""How far a whole number with symmetric noise on a grid is from the value behind it (`reach_laplace.proof.md`).

proof      here
g          fineness, even; the value v and the noise are multiples of 1 / g
R          the released number, floor(v + Z / g + 1/2)
"""

from collections.abc import Callable
from fractions import Fraction

from flint import arb, ctx

from eremite.errors import InputError
from eremite.intervals import as_arb
from eremite.privacy import exact

#: z -> P(Z >= z) for an integer z of 1 or more, enclosed. Z is symmetric, and unlikelier the further from 0.
Tail = Callable[[int], arb]

#: The share of answers that is spoken of where nobody names one.
USUAL_SHARE = Fraction(19, 20)

_PRECISIONS = tuple(1 << power for power in range(7, 13))


def to_whole(units: int, fineness: int) -> int:
    """The whole number nearest to units / fineness; a half is rounded up."""
    return (2 * units + fineness) // (2 * fineness)


def half_width(tail: Tail, fineness: int, share: Fraction) -> int:
    """A whole h with P(|R - v| <= h) >= share whatever v is: the least one, if enclosures tell (claim M2)."""
    rest, half = 1 - checked_share(share), fineness // 2

    def holds(h: int) -> bool:
        return surely_at_most(lambda: tail(fineness * h + half) + tail(fineness * h - half + 1), rest)

    return least(holds, 1)


def margin_below(tail: Tail, fineness: int, confidence: Fraction) -> int:
    """A whole t with P(R - t > q) <= 1 - confidence for all integers q and v <= q + 1 / fineness (claim M3).

    The least one, if enclosures tell.
    """
    rest, half = 1 - checked_share(confidence), fineness // 2
    return least(lambda t: surely_at_most(lambda: tail(fineness * t + half - 1), rest), 0)


def checked_share(value: object) -> Fraction:
    """A share of all answers, above 0 and below 1; taken as written."""
    share = exact(value, "share")
    if not 0 < share < 1:
        raise InputError("share must be above 0 and below 1, like 0.95.")
    return share


def surely_at_most(number: Callable[[], arb], limit: Fraction) -> bool:
    """Whether a number is at most a limit. True is proved; False may mean that no enclosure was narrow enough."""
    for bits in _PRECISIONS:
        with ctx.workprec(bits):
            enclosed, bound = number(), as_arb(limit)
            if enclosed <= bound:
                return True
            if enclosed > bound:
                return False
    return False


def least(holds: Callable[[int], bool], start: int) -> int:
    """The least integer from `start` on for which a claim holds, if it holds for all larger ones too."""
    low, high, step = start - 1, start, 1
    while not holds(high):
        low, high, step = high, high + step, 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
