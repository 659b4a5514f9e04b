"""Algorithm 3 of the paper: h subspaces by repeated draws of the exponential mechanism.

paper                      here
R                          places in `utilities`
u_h(r)                     utilities[r]
eps^(epsilon/h)_(u, du)    a draw with weights exp(epsilon u / h)
R_h                        the places, in the order drawn

As printed it costs 2 epsilon, not epsilon: by the paper's own theorem on the exponential mechanism a draw with weights
exp(epsilon u / h) costs 2 epsilon / h. With `factor_2` the weights are exp(epsilon u / 2h), and it costs epsilon. This
code is not private either way, because the draws come from a seeded generator.
"""

import numpy as np

from eremite.forecast.draws import Floats, Ints, draws
from eremite.sensitivity import global_bounds


def utilities(counts: Ints, sizes: Ints, n_rows: int, min_neighbors: int) -> Floats:
    """u_subspace: the count of each subspace over the upper bound on its global sensitivity."""
    return np.asarray(counts / [global_bounds(n_rows, int(size), min_neighbors)[1] for size in sizes])


def chances(utilities: Floats, exponent: float) -> Floats:
    """The probability of each place in one draw with weights exp(exponent u)."""
    weights = np.exp(exponent * (utilities - utilities.max()))
    return np.asarray(weights / weights.sum())


def algorithm_3(
    utilities: Floats, epsilon: float, h: int, runs: int, rng: np.random.Generator, *, factor_2: bool
) -> Ints:
    """The places of the h winners, one row a run.

    The paper repeats a draw until it gives a new subspace. Drawing from the subspaces that are left has the same
    distribution, and it also ends where one subspace leads by far.
    """
    rate = epsilon / h / (2 if factor_2 else 1)
    return draws(np.tile(utilities, (runs, 1)), rate, h, "exponential", rng)
