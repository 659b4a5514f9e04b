"""Noise that leads every count from both sides to the same two values, whatever the rows are."""

from fractions import Fraction
from math import floor

import pytest

from eremite.mechanisms import Bounds, ReachPair
from eremite.mechanisms import reach_pair as module

HONEST_DRAW = ReachPair.draw


def place_on_ring(point: tuple[int, int]) -> int:
    """The index that `point_of_ring` gives the point for."""
    ring, turns = max(map(abs, point)), 0
    while not (point[0] == ring and point[1] > -ring):
        point, turns = (point[1], -point[0]), turns + 1
    return turns * 2 * ring + point[1] + ring - 1


def lead_pairs(monkeypatch: pytest.MonkeyPatch, target: int) -> None:
    """The library draws as it does; its ring, and the place on it, are those that lead to the target."""

    def draw(self: ReachPair, values: tuple[Fraction, Fraction]) -> Bounds:
        here = [floor(value / self.step(side) + Fraction(1, 2)) for side, value in enumerate(values)]
        there = [floor(target / self.step(side)) for side in (0, 1)]
        noise = there[0] - here[0], there[1] - here[1]
        ring = max(map(abs, noise))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "draw_integer", lambda *_: ring)
            patch.setattr(module, "one_below", lambda _: place_on_ring(noise))
            drawn = HONEST_DRAW(self, values)
        assert list(drawn.units) == there
        return drawn

    monkeypatch.setattr(ReachPair, "draw", draw)
