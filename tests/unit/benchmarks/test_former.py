"""The former default: its bound against the definitions, its noise law against the density."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import quad

from benchmarks import former
from eremite import OutlierDefinition
from eremite.geometry import kissing_number_bound
from tests.definition import core_by_definition, degrees_by_definition, depth_by_definition, truss_by_definition

EPSILONS = [Fraction(1, 5), Fraction(1, 2), Fraction(1), Fraction(2)]


def clump(n, d, seed):
    """A few rows at whole hundredths, half of them close together."""
    rng = np.random.default_rng(seed)
    return np.round(np.vstack([rng.normal(0.5, 0.05, (n // 2, d)), rng.uniform(0, 1, (n - n // 2, d))]), 2)


def former_profile(points, k, radius, steps, bound):
    """Windows around k and k - 1, the bound on what a ball can hold of each, + t + 1, two caps."""
    n, d = points.shape
    degrees = np.array(degrees_by_definition(points, radius))
    most = min(n, k * kissing_number_bound(d) + 1)
    held = [max(bound(points[np.abs(degrees - j) <= t], radius * np.sqrt(d)) for j in (k, k - 1)) for t in range(steps)]
    return [min(most, size + t + 1) for t, size in enumerate(held)]


def largest(profile, decay):
    return max(decay**step * size for step, size in enumerate(profile))


@pytest.mark.parametrize(("d", "bound"), [(1, depth_by_definition), (2, depth_by_definition), (3, truss_by_definition)])
def test_former_bound_is_the_largest_of_the_profile_written_out(d, bound):
    for seed in range(4):
        rows = clump(9, d, seed)
        profile = former_profile(rows, 2, 0.07, 10, bound)  # from there on, all are 9
        for decay in map(former.former_decay, EPSILONS):
            definition = OutlierDefinition(min_neighbors=2, radius=0.07)
            assert former.former_bound(rows, definition, decay) == largest(profile, decay)


def test_former_bound_takes_the_core_after_the_first_steps(monkeypatch):
    decay, differ = former.former_decay(Fraction(1)), 0
    for seed in range(4):
        rows = np.random.default_rng(seed).uniform(0, 0.4, (9, 3))
        truss, core = (former_profile(rows, 2, 0.08, 10, f) for f in (truss_by_definition, core_by_definition))
        differ += largest(truss, decay) != largest(core, decay)
        for first in (0, 1, 3):
            monkeypatch.setattr(former, "_TRUSS_STEPS", ((100, first),))
            found = former.former_bound(rows, OutlierDefinition(min_neighbors=2, radius=0.08), decay)
            assert found == largest(truss[:first] + core[first:], decay)
    assert differ


@pytest.mark.parametrize("share", [0.1, 0.5, 0.95, 0.999])
def test_former_half_width_holds_its_share_of_the_density(share):
    v = former.former_half_width(Fraction(2), Fraction(6), share) * 2 / 6
    assert quad(density, 0, v, points=[1])[0] / quad(density, 0, np.inf)[0] == pytest.approx(share, abs=1e-7)


def density(v):
    return (1 - v / 4) ** 3 if v <= 1 else (3 / 4) ** 3 * (5 / 4) ** 5 * (1 + v / 4) ** -5
