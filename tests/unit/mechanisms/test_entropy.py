"""The one source of randomness; all other tests replace it."""

import random

import numpy as np

from eremite.mechanisms.entropy import system_bits


def test_real_bits_take_either_value_and_no_seed():
    """A false alarm is rarer than 1e-70: one of 64 bits would have to be the same 250 times."""
    drawn = []
    for _ in range(2):
        random.seed(1)
        np.random.seed(1)
        drawn.append([system_bits(64) for _ in range(250)])
    assert drawn[0] != drawn[1]
    seen, unseen = 0, 0
    for bits in drawn[0]:
        assert 0 <= bits < 1 << 64
        seen, unseen = seen | bits, unseen | ~bits
    assert seen == unseen & (1 << 64) - 1 == (1 << 64) - 1
