"""The largest privacy loss of noise that is scaled by a smooth bound, enclosed by branch and bound.

Neighbors release q + S W and q' + S' W. In units of S, and with x = epsilon w, the loss at an output is

    L(x, a, b) = G(x) - G(x') + b,   G = ln g,   x' = (x - a) e^-b,   b = ln(S'/S),   a = epsilon (q' - q)/S,

over all real x, |b| <= beta and |a| <= epsilon min(1, e^b). G is even, so a >= 0 is enough. We write
a = theta epsilon min(1, e^b), split at b = 0, and bound L on a box by its value in the middle plus, for each variable,
the largest slope times half the width: G has kinks but is Lipschitz, so slopes may be enclosed piece by piece.
"""

from dataclasses import dataclass

import numpy as np

# More than all roundings of one evaluation: some fifty operations, each exact to 2e-16 of a number below 60.
ROUNDING = 1e-12
# Of epsilon. The loss of smooth Laplace noise equals epsilon for many outputs, so a certificate needs some room.
ROOM = 1e-6
_MOST_BOXES = 2_000_000


@dataclass(frozen=True)
class SmoothLaplaceLaw:
    """((a - y)/2)^2 up to `start`, e^-y from there to `end`, (a + y)^-outer beyond, continuous; y = narrower |x|.

    The true one has a = 3 kappa, start = max(a - 2, 0), end = 4 - a, narrower 1 and outer 4.
    """

    a: float
    start: float
    end: float
    narrower: float = 1.0
    outer: float = 4.0

    def log(self, x):
        y = np.abs(x) * self.narrower
        first = 2 * np.log((self.a - np.minimum(y, self.start)) / 2)
        middle = np.clip(y, self.start, self.end) - self.start
        return first - middle - self.outer * np.log((self.a + np.maximum(y, self.end)) / (self.a + self.end))

    def slope(self, low, high):
        """Bounds on -G' over low <= |x| <= high: piece by piece, since it is monotone on each."""
        ends = [[psi(y) for y in seen] for seen, psi in self._seen(low, high)]
        return tuple(bound * self.narrower for bound in self._over(low, high, ends))

    def elasticity(self, low, high):
        """Bounds on -x G' over low <= |x| <= high: it rises on each piece."""
        return self._over(low, high, [[y * psi(y) for y in seen] for seen, psi in self._seen(low, high)])

    def _pieces(self):
        """Where each piece begins and ends in y, and -G' in y on it."""
        yield 0.0, self.start, lambda y: 2 / (self.a - y)
        yield self.start, self.end, np.ones_like
        yield self.end, np.inf, lambda y: self.outer / (self.a + y)

    def _seen(self, low, high):
        """The ends of what a box sees of each piece, if it sees any."""
        for begin, end, psi in self._pieces():
            yield [np.clip(at * self.narrower, begin, end) for at in (low, high)], psi

    def _over(self, low, high, ends):
        """The least and the largest value at the ends of the pieces that a box touches."""
        lowest, highest = np.inf, -np.inf
        for (begin, end, _), values in zip(self._pieces(), ends, strict=True):
            touched = (low * self.narrower <= end) & (high * self.narrower >= begin) & (begin < end)
            lowest = np.minimum(lowest, np.where(touched, np.minimum(*values), np.inf))
            highest = np.maximum(highest, np.where(touched, np.maximum(*values), -np.inf))
        return lowest, highest

    def edge(self, epsilon, beta):
        """Beyond, x and x' have y > end on one side: L = outer ln((a + y')/(a + y)) + b, a monotone function of |x|."""
        return np.exp(beta) * self.end / self.narrower + epsilon

    def beyond(self, epsilon, beta):
        """So there L is at most what it is at the edge, or its limit b - outer b."""
        return (self.outer - 1) * beta


def smooth_laplace(epsilon, weight=1.0, longer=0.0, **changes):
    """The law of the mechanism; `weight` times its kappa, a middle piece that is `longer` at its end, other changes."""
    beta = epsilon / 3
    a = 3 * weight * beta / np.expm1(beta)
    return SmoothLaplaceLaw(a, max(a - 2, 0.0), 4 - a + longer, **changes)


@dataclass(frozen=True)
class StudentLaw:
    """(3 + t^2)^-2, x = stretch t."""

    stretch: float = 1.512

    def log(self, x):
        return -2 * np.log(3 + (x / self.stretch) ** 2)

    def slope(self, low, high):
        """It rises up to t^2 = 3 and falls from there."""
        least, most = low / self.stretch, high / self.stretch
        ends = [4 * t / (3 + t * t) for t in (least, most)]
        top = np.where((least <= 1.7320509) & (most >= 1.7320508), 2 / np.sqrt(3), np.maximum(*ends))
        return np.minimum(*ends) / self.stretch, top / self.stretch

    def elasticity(self, low, high):
        return tuple(4 * t * t / (3 + t * t) for t in (low / self.stretch, high / self.stretch))

    def edge(self, epsilon, beta):
        return 40 * max(epsilon, 1.0)

    def beyond(self, epsilon, beta):
        """(3 + t'^2)/(3 + t^2) <= (1 + a/|x|)^2 max(1, e^-2b), so L <= max(b, -3b) + 4 a/|x|."""
        return 3 * beta + 4 * epsilon / self.edge(epsilon, beta)


def refutation(law, epsilon, beta, theta=(0.0, 1.0)):
    """A point (x, theta, b) where the loss exceeds (1 + ROOM) epsilon; None if there is none, which is then proved."""
    allowed = epsilon * (1 + ROOM)
    edge = law.edge(epsilon, beta)
    low = np.array([[-edge, theta[0], -beta], [-edge, theta[0], 0.0]])
    high = np.array([[edge, theta[1], 0.0], [edge, theta[1], beta]])
    while len(low):
        if len(low) > _MOST_BOXES:
            raise RuntimeError("the boxes do not get small enough to decide")
        middle, slack, found = bounded(law, epsilon, low, high)
        if (found > allowed + ROUNDING).any():
            return tuple(middle[found.argmax()])
        low, high = _halved(low, high, slack, found + slack.sum(axis=1) > allowed - ROUNDING)
    return None if law.beyond(epsilon, beta) <= allowed else (1e6 * edge, theta[1], -beta)


def loss(law, epsilon, x, theta, b):
    shift = theta * epsilon * np.minimum(1, np.exp(b))
    return law.log(x) - law.log((x - shift) * np.exp(-b)) + b


def bounded(law, epsilon, low, high):
    """The middle of each box, how far L can rise above its value there along each variable, and this value."""
    (x0, t0, b0), (x1, t1, b1) = low.T, high.T
    shift0, shift1 = (t * epsilon * np.minimum(1, np.exp(b)) for t, b in ((t0, b0), (t1, b1)))
    near, far = _quotient(x0 - shift1, x1 - shift0, np.exp(-b1), np.exp(-b0))
    here, there = _slope(law, x0, x1), _slope(law, near, far)
    narrow, wide = np.exp(-b1), np.exp(-b0)
    along_x = _most(here[0] - _largest(there[1], narrow, wide), here[1] - _smallest(there[0], narrow, wide))
    along_theta = epsilon * _most(*there)  # e^-b min(1, e^b) <= 1
    stretch = law.elasticity(*_absolute(near, far))
    pull = np.where(b1 <= 0, epsilon, 0)  # a itself grows with b there
    along_b = _most(
        1 - stretch[1] + pull * np.minimum(t1 * there[0], t0 * there[0]),
        1 - stretch[0] + pull * np.maximum(t1 * there[1], t0 * there[1]),
    )
    middle = (low + high) / 2
    slack = np.column_stack([along_x, along_theta, along_b]) * (high - low) / 2 * (1 + 1e-12)
    return middle, slack, loss(law, epsilon, *middle.T)


def _slope(law, low, high):
    """Bounds on G' over a box of x of either sign."""
    least, most = law.slope(*_absolute(low, high))
    return np.where(high <= 0, least, -most), np.where(low >= 0, -least, most)


def _absolute(low, high):
    inside = np.maximum(low, -high)
    return np.maximum(inside, 0), np.maximum(high, -low)


def _quotient(low, high, narrow, wide):
    """[low, high] times [narrow, wide], the factors positive."""
    return _smallest(low, narrow, wide), _largest(high, narrow, wide)


def _smallest(value, narrow, wide):
    return np.where(value >= 0, value * narrow, value * wide)


def _largest(value, narrow, wide):
    return np.where(value >= 0, value * wide, value * narrow)


def _most(low, high):
    return np.maximum(np.abs(low), np.abs(high))


def _halved(low, high, slack, open_):
    """The undecided boxes, each cut along the variable that matters most."""
    low, high, along = low[open_], high[open_], slack[open_].argmax(axis=1)
    row = np.arange(len(low))
    left, right = high.copy(), low.copy()
    left[row, along] = right[row, along] = (low[row, along] + high[row, along]) / 2
    return np.vstack([low, right]), np.vstack([left, high])
