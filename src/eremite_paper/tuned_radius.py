"""The paper's rule for the radius: the one with the best accuracy against labels (section 6.2).

paper                             here
Accuracy = (TP + TN) / N          accuracy(...)
r that maximizes it               tuned_radius(...)

Not private: such a radius depends on every row, and nothing in the paper pays for that.
"""

import numpy as np
from numpy.typing import NDArray

from eremite.outliers import OutlierDefinition, degrees

Floats = NDArray[np.float64]


def accuracy(points: Floats, outlying: NDArray[np.bool_], definition: OutlierDefinition) -> float:
    """The share of rows that the definition labels correctly."""
    found = degrees(points, definition.radius, definition.min_neighbors) < definition.min_neighbors
    return float(np.mean(found == outlying))


def tuned_radius(points: Floats, outlying: NDArray[np.bool_], min_neighbors: int) -> float:
    """The smallest radius with the best accuracy.

    A row stops being an outlier at the distance of its k-th neighbor, so only these distances are tried, each slightly
    enlarged so that rounding does not matter.
    """
    squares = ((points[:, None, :] - points[None, :, :]) ** 2).mean(axis=2)
    reached = np.sqrt(np.sort(squares, axis=1)[:, min_neighbors]) * (1 + 1e-9)
    tried = np.unique(reached[reached > 0])
    shares = [np.mean((reached > radius) == outlying) for radius in tried]
    return float(tried[int(np.argmax(shares))])
