"""Noise for the count, one mechanism a module, a proof beside each; and exact sampling.

A mechanism holds what it was made for (`epsilon`, `delta` where there is one), the `decay` of the smooth bound it needs
(None: the global bound), and `draw(center, bound)`. It knows no table.
"""

from eremite.mechanisms.gaussian import Gaussian
from eremite.mechanisms.global_gaussian import GlobalGaussian
from eremite.mechanisms.global_laplace import GlobalLaplace
from eremite.mechanisms.mechanism import Mechanism
from eremite.mechanisms.paper_gaussian import PaperGaussian
from eremite.mechanisms.smooth_laplace import SmoothLaplace

__all__ = ["Gaussian", "GlobalGaussian", "GlobalLaplace", "Mechanism", "PaperGaussian", "SmoothLaplace"]
