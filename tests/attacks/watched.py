"""What a query hands to its noise and to its draws: laws made of that are those of the code that runs."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import floor

import pytest

from eremite.mechanisms import (
    Bounds,
    Gaussian,
    GlobalGaussian,
    GlobalLaplace,
    PaperGaussian,
    ReachGaussian,
    ReachLaplace,
    ReachPair,
    SmoothLaplace,
)
from eremite.mechanisms.selection import Scores
from tests.settled_scores import score_of

FAR = 10**6  # a draw that no small table explains: what is released of it shows the clamp
NOISES = (SmoothLaplace, GlobalLaplace, Gaussian, PaperGaussian, GlobalGaussian, ReachLaplace, ReachGaussian)


@dataclass
class Watched:
    """All noise that was asked for, and all candidates that one was chosen among."""

    noise: list = field(default_factory=list)  # (mechanism, center, bound); no bound where the scale is public
    choices: list = field(default_factory=list)  # (exact scores of all candidates, rate)


@contextmanager
def watched(drawn: int = FAR, pick: int = 0) -> Iterator[Watched]:
    """Meanwhile every noisy number is `drawn`, and of the candidates left that at `pick` is chosen."""
    seen = Watched()

    def draw(self, center, bound=None):
        seen.noise.append((self, center, bound))
        return drawn

    def draw_both(self, values):
        seen.noise.append((self, values, None))
        return Bounds(self, tuple(floor(drawn / self.step(side)) for side in (0, 1)))

    def choose(self):
        if len(self._left) == len(self._low):  # the first of its draws
            seen.choices.append((tuple(score_of(self, i) for i in self._left), self._rate))
        return self._take(self._left[pick])

    with pytest.MonkeyPatch.context() as patch:
        for noise in NOISES:
            patch.setattr(noise, "draw", draw)
        patch.setattr(ReachPair, "draw", draw_both)
        patch.setattr(Scores, "permute_and_flip", choose)
        patch.setattr(Scores, "exponential", choose)
        yield seen
