"""Pure noise for a smooth bound keeps epsilon: proved a second time, by branch and bound instead of along a path.

Inside the edges the loss stays below epsilon by more than any rounding, so no tolerance is needed; beyond them it is
monotone, and its limit is epsilon for the worst pair of bounds.
"""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import t as student_t

from eremite.mechanisms import SmoothLaplace, Student, smooth_laplace, student
from tests.unit.mechanisms.privacy_loss import ROUNDING, SmoothLaplaceLaw, StudentLaw, bounded, loss, refutation

LAWS = [(SmoothLaplaceLaw(), smooth_laplace.SHARPNESS), (StudentLaw(), student.SHARPNESS)]
EPSILONS = [1e-3, 0.1, 0.5, 1.0, 2.0, 4.0, 20.0]
#: Shifts up to the largest; and the largest alone, which is the worst for densities with one peak (claim H2).
SHIFTS = [(0.0, 1.0), (1.0, 1.0)]


@pytest.mark.parametrize(("law", "sharpness"), LAWS, ids=["smooth Laplace", "Student"])
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("shifts", SHIFTS, ids=["all shifts", "largest shift"])
def test_loss_stays_below_epsilon(law, sharpness, epsilon, shifts):
    assert refutation(law, epsilon, epsilon / sharpness, shifts) is None


MUTANTS = {
    "noise 5 % narrower": (SmoothLaplaceLaw(narrower=1.05), 4, 0.1),
    "outer exponent 6": (SmoothLaplaceLaw(outer=6), 4, 0.1),
    "outer exponent 6, epsilon 1": (SmoothLaplaceLaw(outer=6), 4, 1.0),
    "outer exponent 6, epsilon 4": (SmoothLaplaceLaw(outer=6), 4, 4.0),
    "bound 5 % less steady": (SmoothLaplaceLaw(), 3.8, 0.1),
    "bound 5 % less steady, epsilon 1": (SmoothLaplaceLaw(), 3.8, 1.0),
    "Student 5 % narrower": (StudentLaw(1.44), 6, 0.1),
    "Student, bound less steady": (StudentLaw(), 4.5, 0.1),
}


@pytest.mark.parametrize("mutant", MUTANTS)
@pytest.mark.parametrize("shifts", SHIFTS, ids=["all shifts", "largest shift"])
def test_certifier_refutes(mutant, shifts):
    """And its counterexample is one. At epsilon 1 noise 5 % narrower is private, so that one is refuted at 0.1."""
    law, sharpness, epsilon = MUTANTS[mutant]
    point = refutation(law, epsilon, epsilon / sharpness, shifts)
    assert point is not None
    assert loss(law, epsilon, *point) > epsilon + ROUNDING


@pytest.mark.parametrize("law", [SmoothLaplaceLaw(), SmoothLaplaceLaw(1.05, 6), StudentLaw()])
@pytest.mark.parametrize("epsilon", [0.1, 4.0])
def test_bounds_on_boxes_hold(law, epsilon):
    """What the proof rests on: no point of a box has a greater loss than is said of the box."""
    rng = np.random.default_rng(3)
    edge, beta = law.edge(epsilon, epsilon / 4), epsilon / 4
    for side in ((-beta, 0.0), (0.0, beta)):
        corners = rng.uniform([-edge, 0, side[0]], [edge, 1, side[1]], (2, 3000, 3))
        low, high = corners.min(axis=0), corners.max(axis=0)
        high = low + (high - low) * rng.choice([1, 0.1, 0.01], (3000, 1))
        _, reach, found = bounded(law, epsilon, low, high)
        for _ in range(100):
            point = rng.uniform(low, high)
            assert (loss(law, epsilon, *point.T) <= found + reach.sum(axis=1) + ROUNDING).all()


def test_laws_are_those_of_the_mechanisms():
    """Up to the constant factor, which no loss sees: the tail of each is the integral of the density certified here."""
    mass = quad(lambda v: np.exp(SmoothLaplaceLaw().log(v)), 0, 1)[0] * 310 / 175
    for v in (0.3, 1.0, 2.5, 9.0):
        inside = quad(lambda v: np.exp(SmoothLaplaceLaw().log(v)), 0, v, points=[1])[0] / mass
        assert 1 - float(SmoothLaplace(1).tail(v)) == pytest.approx(inside, abs=1e-9)
        ratio = student_t.pdf(v / 1.512, 3) / student_t.pdf(0, 3)
        assert StudentLaw().log(v) - StudentLaw().log(0) == pytest.approx(np.log(ratio), abs=1e-12)
    assert Student(1).half_width() == pytest.approx(3.1824 * StudentLaw().stretch, rel=1e-4)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_limit_of_the_loss_is_epsilon(epsilon):
    """The budget is used up: the smaller bound sees outputs far out, in the limit e^epsilon times as rarely."""
    far = [loss(SmoothLaplaceLaw(), epsilon, x, 1.0, -epsilon / 4) for x in (1e3, 1e6, 1e9)]
    assert far[-1] == pytest.approx(epsilon, rel=1e-6)
    assert max(far) <= epsilon + ROUNDING
