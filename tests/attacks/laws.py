"""The exact laws of selections and of the sparse vector, as `selection.proof.md` writes them; those of rings.

Closed forms, or sums over the noise on the threshold with a tail below 1e-17; floats, with errors below 1e-13.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
from flint import ctx

from eremite import OutlierDefinition, Table
from eremite.intervals import as_arb
from eremite.queries import ScreenQuery
from eremite.queries.screening import Screening

MARGIN = 1 + 1e-9  # for "at most e^epsilon times", asked of floats


def permute_and_flip_law(weights):
    """P(i) = w_i times the integral over s in [0, 1] of the product over the others of (1 - s w_j); the best has 1."""
    found = []
    for i, weight in enumerate(weights):
        product = np.array([1.0])
        for other in (*weights[:i], *weights[i + 1 :]):
            product = np.convolve(product, [1.0, -other])
        found.append(weight * (product / np.arange(1, len(product) + 1)).sum())
    return np.array(found)


def exponential_law(weights):
    return np.array(weights) / sum(weights)


def one_law(law, scores, rate):
    """Of one draw, by the score; weight exp(rate u), 1 for the best."""
    best = max(scores)
    return law([float(np.exp(float(rate * (score - best)))) for score in scores])


def ordered_law(law, scores, rate, h, takes=lambda i, j: i == j):
    """{winners in order: probability} of h draws, each from what is left; winner i takes every j of `takes(i, j)`."""

    def drawn(left, h):
        if h == 0:
            return {(): 1.0}
        first = one_law(law, [scores[i] for i in left], rate)
        rest = {i: drawn([j for j in left if not takes(i, j)], h - 1) for i in left}
        return {(i, *then): p * q for i, p in zip(left, first, strict=True) for then, q in rest[i].items()}

    return drawn(list(range(len(scores))), h)


LAWS = {"permute-and-flip": permute_and_flip_law, "exponential": exponential_law}


# The sparse vector: streams of scores, transcripts of answers.


@dataclass(frozen=True)
class Vector:
    """What a screening draws with, and a handle on each part where a mistake can sit."""

    epsilon: Fraction
    most_yes: int
    scaled: bool = True  # the noise on an answer, by 2c; otherwise it has all of epsilon_2
    noisy: bool = True  # the threshold; without noise, nothing is spent on it

    @cache  # noqa: B019 -- few of them
    def rates(self):
        """Of the threshold and of an answer, as the library sets them."""
        table = Table.from_frame(np.zeros((4, 2)), {"a": (0, 1), "b": (0, 1)})
        plan = ScreenQuery(
            definition=OutlierDefinition(min_neighbors=2, radius=0.3), most_yes=self.most_yes, epsilon=self.epsilon
        ).plan(table)
        assert plan.threshold + plan.answers == self.epsilon
        if not self.noisy:
            return None, float(self.epsilon / (2 * self.most_yes))
        answer = Screening(table, plan)._noise.epsilon if self.scaled else plan.answers
        return float(plan.threshold), float(answer)


def at_least(bar, rate):
    """P(nu >= bar) for discrete Laplace noise."""
    a = np.exp(-rate)
    return np.where(bar > 0, a ** np.maximum(bar, 0), 1 + a - a ** np.maximum(1 - bar, 0)) / (1 + a)


def threshold_law(rate):
    """The values of the noise on the threshold with their probabilities; those left out have 1e-17 in all."""
    if rate is None:
        return np.zeros(1), np.ones(1)
    rho, a = np.arange(-int(40 / rate) - 1, int(40 / rate) + 2), np.exp(-rate)
    return rho, a ** np.abs(rho) * (1 - a) / (1 + a)


def transcript_law(vector, gaps):
    """{answers: probability}; a gap is s_i - (1 - k), so that yes is gap + nu >= rho. Shorter streams are marginals."""
    threshold, rate = vector.rates()
    rho, share = threshold_law(threshold)
    law = {(): share}
    for gap in gaps:
        no, yes = at_least(gap - rho + 1, rate), at_least(rho - gap, rate)
        grown = {}
        for answers, mass in law.items():
            if sum(answers) == vector.most_yes:
                grown[answers] = mass
            else:
                grown |= {(*answers, False): mass * no, (*answers, True): mass * yes}
        law = grown
    return {answers: float(mass.sum()) for answers, mass in law.items()}


def long_transcript(vector, gaps, answers):
    """The probability of one transcript."""
    threshold, rate = vector.rates()
    rho, share = threshold_law(threshold)
    for gap, yes in zip(gaps, answers, strict=True):
        share = share * (at_least(rho - gap, rate) if yes else at_least(gap - rho + 1, rate))
    return float(share.sum())


def broken_rings(noise, points_at, rings):
    """Of noise that is alike at all points of a ring: a ring at which a step further takes more than its share of
    epsilon, or less than nothing; None if there is none. Probabilities are those that the library draws with."""

    def at_point(ring):
        if ring == 0:
            return 1 - noise.beyond(0)
        return (noise.beyond(ring - 1) - noise.beyond(ring)) / points_at(ring)

    most = as_arb(noise.epsilon / noise.steps)
    for ring in range(rings):
        with ctx.workprec(400):
            ratio = (at_point(ring) / at_point(ring + 1)).log()
            if not (ratio - most < 1e-9 and ratio + most > -1e-9):
                return ring
    return None
