"""Pure noise for a smooth bound keeps epsilon: proved a second time, by branch and bound instead of along a path.

The loss of smooth Laplace noise equals epsilon for a whole range of outputs, whatever epsilon, so the certificate is
for a millionth more. Beyond the edges of the boxes the loss is monotone, with the limit epsilon for the worst bounds.
"""

from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import t as student_t

from benchmarks import student
from benchmarks.student import Student
from eremite.mechanisms import SmoothLaplace
from eremite.mechanisms.smooth_laplace import SHARPNESS
from tests.unit.mechanisms.privacy_loss import (
    ROUNDING,
    SmoothLaplaceLaw,
    StudentLaw,
    bounded,
    loss,
    refutation,
    smooth_laplace,
)

LAWS = {
    "smooth Laplace": (smooth_laplace, SHARPNESS),
    "Student": (lambda epsilon: StudentLaw(), student.SHARPNESS),
}
#: On either side of 2.29, from where on smooth Laplace noise lacks its first piece.
EPSILONS = [1e-3, 0.1, 0.5, 1.0, 2.0, 2.25, 2.35, 4.0, 8.0, 20.0]
#: Shifts up to the largest; and the largest alone, which is the worst for densities with one peak (claim H2).
SHIFTS = [(0.0, 1.0), (1.0, 1.0)]


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("shifts", SHIFTS, ids=["all shifts", "largest shift"])
def test_loss_stays_below_epsilon(name, epsilon, shifts):
    law, sharpness = LAWS[name]
    assert refutation(law(epsilon), epsilon, epsilon / sharpness, shifts) is None


def without_the_middle(epsilon):
    """The two powers meet at 1, without the exponential between them."""
    return SmoothLaplaceLaw(smooth_laplace(epsilon).a, 1.0, 1.0)


#: The law, the sharpness of the bound, and where it is refuted.
EVERYWHERE = [0.001, 0.1, 1.0, 2.0, 4.0, 20.0]
MUTANTS = {
    "noise 2 % narrower": (lambda epsilon: smooth_laplace(epsilon, narrower=1.02), 3, EVERYWHERE),
    "noise 0.1 % narrower": (lambda epsilon: smooth_laplace(epsilon, narrower=1.001), 3, EVERYWHERE),
    "bound 2 % less steady": (smooth_laplace, 3 / 1.02, EVERYWHERE),
    "kappa 1 % smaller": (lambda epsilon: smooth_laplace(epsilon, weight=0.99), 3, EVERYWHERE),
    "no middle piece": (without_the_middle, 3, [0.001, 0.1, 1.0, 2.0]),
    "middle piece longer": (lambda epsilon: smooth_laplace(epsilon, longer=0.1), 3, EVERYWHERE),
    "outer exponent 4.1": (lambda epsilon: smooth_laplace(epsilon, outer=4.1), 3, EVERYWHERE),
    "outer exponent 5": (lambda epsilon: smooth_laplace(epsilon, outer=5.0), 3, EVERYWHERE),
    "Student 5 % narrower": (lambda epsilon: StudentLaw(1.44), 6, [0.1]),
    "Student, bound less steady": (lambda epsilon: StudentLaw(), 4.5, [0.1]),
}


@pytest.mark.parametrize(("mutant", "epsilon"), [(name, e) for name, (*_, where) in MUTANTS.items() for e in where])
@pytest.mark.parametrize("shifts", SHIFTS, ids=["all shifts", "largest shift"])
def test_certifier_refutes(mutant, epsilon, shifts):
    """And its counterexample is one."""
    law, sharpness, _ = MUTANTS[mutant]
    point = refutation(law(epsilon), epsilon, epsilon / sharpness, shifts)
    assert point is not None
    assert loss(law(epsilon), epsilon, *point) > epsilon + ROUNDING


@pytest.mark.parametrize(
    "law",
    [
        smooth_laplace,
        lambda epsilon: smooth_laplace(epsilon, 0.9, 0.3, narrower=1.05, outer=6.0),
        lambda _: StudentLaw(),
    ],
    ids=["smooth Laplace", "mutant", "Student"],
)
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_bounds_on_boxes_hold(law, epsilon):
    """What the proof rests on: no point of a box has a greater loss than is said of the box."""
    rng, law = np.random.default_rng(3), law(epsilon)
    edge, beta = law.edge(epsilon, epsilon / 3), epsilon / 3
    for side in ((-beta, 0.0), (0.0, beta)):
        corners = rng.uniform([-edge, 0, side[0]], [edge, 1, side[1]], (2, 3000, 3))
        low, high = corners.min(axis=0), corners.max(axis=0)
        high = low + (high - low) * rng.choice([1, 0.1, 0.01], (3000, 1))
        _, slack, found = bounded(law, epsilon, low, high)
        for _ in range(100):
            point = rng.uniform(low, high)
            assert (loss(law, epsilon, *point.T) <= found + slack.sum(axis=1) + ROUNDING).all()


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_smooth_laplace_law_is_that_of_the_mechanism(epsilon):
    """Up to the constant factor, which no loss sees: the tail is the integral of the density certified here."""
    law, noise = smooth_laplace(epsilon), SmoothLaplace(epsilon)
    assert [law.a, law.start, law.end] == pytest.approx(
        [float(3 * noise.law.kappa), *map(float, (noise.law.start, noise.law.end))]
    )

    def mass(v):
        return quad(lambda v: np.exp(law.log(v)), 0, v, points=[law.start, law.end])[0]

    for v in (0.3, 1.0, 2.5, 9.0):
        inside, share = (1 - float(noise.tail(Fraction(at) / noise.epsilon)) for at in (v, 10))
        assert inside / share == pytest.approx(mass(v) / mass(10), abs=1e-9)


def test_student_law_is_that_of_the_mechanism():
    for v in (0.3, 1.0, 2.5, 9.0):
        ratio = student_t.pdf(v / 1.512, 3) / student_t.pdf(0, 3)
        assert StudentLaw().log(v) - StudentLaw().log(0) == pytest.approx(np.log(ratio), abs=1e-12)
    assert Student(1).half_width() == pytest.approx(3.1824 * StudentLaw().stretch, rel=1e-4)


@pytest.mark.parametrize("epsilon", [0.001, 0.1, 1.0, 4.0, 20.0])
def test_loss_equals_epsilon_for_many_outputs(epsilon):
    """The budget is used up (claim N3): from some output on, the smaller bound sees each e^-epsilon times as often."""
    law, beta = smooth_laplace(epsilon), epsilon / 3
    far = law.end * np.exp(beta) + epsilon
    for x in far * np.array([1, 2, 1e3, 1e6]):
        assert loss(law, epsilon, -x, 1.0, -beta) == pytest.approx(epsilon, rel=1e-9)
