"""Candidates whose scores are known exactly, and one of them drawn."""

from fractions import Fraction

from eremite.mechanisms.selection import Scores


def settled(drops):
    """Each candidate lies so far below the best; the sensitivity is 1."""
    return Scores([(-drop, -drop) for drop in drops], lambda i: -drops[i], Fraction(1))


def permute_and_flip(drops):
    return settled(drops).permute_and_flip()


def exponential(drops):
    return settled(drops).exponential()
