"""Choosing one of many by a private score: permute and flip, and the exponential mechanism (`selection.proof.md`).

paper / theory       here
u_i                  the score of candidate i, 1-Lipschitz in the table
exp(epsilon u / 2)   weight; drop = epsilon (max u - u_i) / 2, so the weight is e^-drop of the largest
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

from eremite.mechanisms import entropy
from eremite.mechanisms.enclosures import as_arb, scaled
from eremite.mechanisms.sampling import Uniform

#: Picks a candidate, given how far each falls short of the best.
Select = Callable[[Sequence[Fraction]], int]


def permute_and_flip(drops: Sequence[Fraction]) -> int:
    """Keep each candidate with probability e^-drop, then one of the kept at random.

    The same as visiting the candidates in random order until one is kept: the order and the coins are independent.
    The best has drop 0 and is always kept.
    """
    kept = [i for i, drop in enumerate(drops) if flip(drop)]
    return kept[below(len(kept))]


def exponential(drops: Sequence[Fraction]) -> int:
    """A candidate with probability proportional to e^-drop: pick one at random until it is kept."""
    while True:
        i = below(len(drops))
        if flip(drops[i]):
            return i


def flip(drop: Fraction) -> bool:
    """True with probability e^-drop, exactly."""
    if drop == 0:
        return True
    return Uniform().below(lambda _, n: scaled(lambda: as_arb(-drop).exp(), n), 0)


def below(n: int) -> int:
    """One of 0, ..., n - 1, each with the same probability."""
    bits = (n - 1).bit_length()
    while True:
        drawn = entropy.system_bits(bits) if bits else 0
        if drawn < n:
            return drawn
