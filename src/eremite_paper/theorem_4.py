"""Theorem 4 of the paper: Gaussian noise for a smooth bound, after Nissim, Raskhodnikova and Smith (2007).

paper       here
alpha       alpha(epsilon, delta)
beta        beta(epsilon, delta), for one number released (p = 1)
S / alpha   deviation(bound, epsilon, delta)

Proved for epsilon and delta below 1. The numbers of section 6.2 match S_{beta = epsilon} / epsilon instead, here
`as_plotted`; nothing is proved about noise of that size.
"""

from math import log, sqrt


def alpha(epsilon: float, delta: float) -> float:
    """The divisor of the smooth bound."""
    return epsilon / (5 * sqrt(2 * log(2 / delta)))


def beta(epsilon: float, delta: float) -> float:
    """The smoothness that the bound must have: it changes by at most e^beta between neighbors."""
    return epsilon / (4 * (1 + log(2 / delta)))


def deviation(bound: float, epsilon: float, delta: float) -> float:
    """The standard deviation of the noise for a bound that is beta(epsilon, delta)-smooth."""
    return bound / alpha(epsilon, delta)


def as_plotted(bound: float, epsilon: float) -> float:
    """Not private: the noise that the paper's figures show, for a bound that is epsilon-smooth."""
    return bound / epsilon
