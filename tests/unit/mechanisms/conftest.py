"""Random bits that a test chooses. Nothing in the library can be seeded; tests replace its one source."""

import numpy as np
import pytest

SOURCE = "eremite.mechanisms.entropy.system_bits"


@pytest.fixture
def feed(monkeypatch):
    """feed(a, b, ...): the next chunks of random bits; returns the list of those not yet asked for."""

    def feed(*chunks):
        left = list(chunks)
        monkeypatch.setattr(SOURCE, lambda n: left.pop(0))
        return left

    return feed


@pytest.fixture
def seeded(monkeypatch):
    def seeded(seed):
        source = np.random.default_rng(seed)
        monkeypatch.setattr(SOURCE, lambda n: int.from_bytes(source.bytes(n // 8)))

    return seeded
