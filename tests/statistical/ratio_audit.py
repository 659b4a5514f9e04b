"""Two tables, many releases of each: is some event more than e^epsilon times as frequent here as there?

Events are "y = v", "y <= v", "y >= v" for all v. A probability is enclosed by its Clopper-Pearson interval, and the
error is shared among all events and both directions: a release that keeps epsilon is flagged with a chance of ALPHA at
most.
"""

from math import exp

import numpy as np
from scipy.stats import beta, binom

ALPHA = 1e-6


def histogram(noise, count, bound, n_rows, releases):
    """Releases as a `CountPlan` computes them: drawn, then clamped."""
    drawn = [min(max(noise.draw(count, bound), 0), n_rows) for _ in range(releases)]
    return np.bincount(drawn, minlength=n_rows + 1)


def events(shares):
    """The number, or the probability, of every event, given that of every output."""
    return np.concatenate([shares, np.cumsum(shares), np.cumsum(shares[::-1])[::-1]])


def flagged(here, there, epsilon):
    """How many events are certainly too frequent here or there."""
    found = 0
    for one, other in ((here, there), (there, here)):
        counts, counts_there, n, n_there = events(one), events(other), one.sum(), other.sum()
        error = _error(len(counts))
        least = np.where(counts > 0, beta.ppf(error, np.maximum(counts, 1), n - counts + 1), 0)
        rest = n_there - counts_there
        most = np.where(rest > 0, beta.isf(error, counts_there + 1, np.maximum(rest, 1)), 1)
        found += np.count_nonzero(least > exp(epsilon) * most)
    return found


def power(law_here, law_there, epsilon, releases):
    """How often `flagged` finds something, or a little less: how often it finds it in the best event."""
    pairs = [(law_here, law_there), (law_there, law_here)]
    shares = np.concatenate([np.column_stack([events(one), events(other)]) for one, other in pairs])
    error = _error(len(shares) // 2)
    gap = (shares[:, 0] - exp(epsilon) * shares[:, 1]) / np.sqrt(shares[:, 0] + exp(2 * epsilon) * shares[:, 1])
    return max(_power(*shares[i], epsilon, releases, error) for i in np.argsort(gap)[-5:])


def _power(p, p_there, epsilon, n, error):
    """The sum over counts here of their chance times that of few enough counts there."""
    counts = np.arange(*np.clip(binom.ppf([1e-12, 1 - 1e-12], n, min(p, 1)), 1, n).astype(int))
    least = beta.ppf(error, counts, n - counts + 1)
    most_there = binom.ppf(error, n, least / exp(epsilon)) - 1  # the counts whose upper end lies below
    return float((binom.pmf(counts, n, p) * binom.cdf(most_there, n, p_there)).sum())


def _error(n_events):
    """For each of two ends, all events and two directions."""
    return ALPHA / (4 * n_events)
