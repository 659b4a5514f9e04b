"""Theorem 2 of the paper: Gaussian noise for the global sensitivity.

paper                               here
GS_q                                sensitivity
variance GS^2 2 ln(2/delta)/eps^2   deviation(...) squared

The theorem states no limit on epsilon. `eremite.mechanisms.GlobalGaussian` refuses an epsilon for which it is false.
"""

from math import log, sqrt


def deviation(sensitivity: float, epsilon: float, delta: float) -> float:
    """The standard deviation of the noise."""
    return sensitivity * sqrt(2 * log(2 / delta)) / epsilon
