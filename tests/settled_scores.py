"""Candidates whose scores are known exactly, one of them drawn, and scores that become known."""

from fractions import Fraction

from eremite.mechanisms.selection import Scores


def settled(drops):
    """Each candidate lies so far below the best; the sensitivity is 1."""
    return Scores.known([-drop for drop in drops], Fraction(1))


def permute_and_flip(drops):
    return settled(drops).permute_and_flip()


def exponential(drops):
    return settled(drops).exponential()


def score_of(scores, i):
    """The score of a candidate, looked at until its bounds meet; they hold the score at every look."""
    seen = [(scores._low[i], scores._high[i])]
    while seen[-1][0] < seen[-1][1]:
        seen.append(scores._look(i))
    score = seen[-1][0]
    assert all(low <= score <= high for low, high in seen)
    return score
