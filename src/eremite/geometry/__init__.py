"""Balls and points: how many points of a set one ball of a given radius can hold, exactly or bounded from above.

Everything works on Euclidean radii and rounds outward: a ball test uses R(1 + 1e-9), an edge test 2R(1 + 1e-9).
"""

from eremite.geometry.core import core_bound
from eremite.geometry.densest import densest_ball
from eremite.geometry.enclosing import smallest_enclosing_ball
from eremite.geometry.kissing import kissing_number_bound
from eremite.geometry.truss import truss_bound

__all__ = ["core_bound", "densest_ball", "kissing_number_bound", "smallest_enclosing_ball", "truss_bound"]
