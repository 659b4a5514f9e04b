"""Noise for the count, one mechanism a module, a proof beside each; and exact sampling.

A mechanism knows no table. One that is scaled by a bound of the count holds what it was made for (`epsilon`, `delta`
where there is one), the `decay` of the smooth bound it needs (None: the global bound), and `draw(center, bound)`. One
for counts of bounded reach has a public scale: it holds that too, and `draw(units)`.
"""

from eremite.mechanisms.gaussian import Gaussian
from eremite.mechanisms.global_gaussian import GlobalGaussian
from eremite.mechanisms.global_laplace import GlobalLaplace
from eremite.mechanisms.mechanism import BoundedMechanism, Mechanism
from eremite.mechanisms.paper_gaussian import PaperGaussian
from eremite.mechanisms.reach_gaussian import ReachGaussian
from eremite.mechanisms.reach_laplace import ReachLaplace
from eremite.mechanisms.reach_pair import Bounds, ReachPair
from eremite.mechanisms.reach_rows import BoundsAndRows, ReachWithRows
from eremite.mechanisms.smooth_laplace import SmoothLaplace

ReachNoise = ReachLaplace | ReachGaussian
"""Noise of a public scale, for counts of bounded reach."""

__all__ = [
    "BoundedMechanism",
    "Bounds",
    "BoundsAndRows",
    "Gaussian",
    "GlobalGaussian",
    "GlobalLaplace",
    "Mechanism",
    "PaperGaussian",
    "ReachGaussian",
    "ReachLaplace",
    "ReachNoise",
    "ReachPair",
    "ReachWithRows",
    "SmoothLaplace",
]
