"""Does a sample of integers follow a distribution function? And would we have noticed if it did not?"""

import numpy as np
from scipy.stats import chi2, kstest, ncx2

ALPHA = 1e-6


def edges(cdf, bins):
    """Where to cut the integers into cells of about equal probability: (-inf, e1], (e1, e2], ..., (e_last, inf)."""
    low, high = -1, 1
    while cdf(low) > 0.5 / bins:
        low *= 2
    while cdf(high) < 1 - 0.5 / bins:
        high *= 2
    at = np.arange(low, high + 1)
    return at[np.unique(np.searchsorted([cdf(int(y)) for y in at], np.arange(1, bins) / bins))]


def cell_shares(cdf, cuts):
    return np.diff([0.0, *(cdf(int(cut)) for cut in cuts), 1.0])


def chi_square(sample, cdf, bins):
    """The p-value of the sample's counts in the cells of the distribution function."""
    cuts = edges(cdf, bins)
    expected = cell_shares(cdf, cuts) * len(sample)
    counts = np.bincount(np.searchsorted(cuts, sample, side="left"), minlength=len(expected))
    return float(chi2.sf(((counts - expected) ** 2 / expected).sum(), len(expected) - 1))


def kolmogorov_smirnov(sample, cdf, seed=0):
    """The p-value of F(y - 1) + V (F(y) - F(y - 1)) being uniform, V uniform: all integers are looked at, not cells."""
    values, where = np.unique(sample, return_inverse=True)
    below, above = (np.array([cdf(int(y)) for y in values + step])[where] for step in (-1, 0))
    spread = below + np.random.default_rng(seed).random(len(sample)) * (above - below)
    return float(kstest(spread, "uniform").pvalue)


def power(cdf, truth, n, bins):
    """How often `chi_square` rejects the function, at ALPHA, when the n draws follow another one in truth."""
    cuts = edges(cdf, bins)
    shares, true_shares = cell_shares(cdf, cuts), cell_shares(truth, cuts)
    distance = n * ((true_shares - shares) ** 2 / shares).sum()
    return float(ncx2.sf(chi2.isf(ALPHA, len(shares) - 1), len(shares) - 1, distance))
