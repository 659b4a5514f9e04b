"""Random bits with a seed, so that a verdict is always the same one. Nothing in the library can be seeded."""

from contextlib import contextmanager

import numpy as np
import pytest


@contextmanager
def seeded_bits(seed):
    source = np.random.default_rng(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "eremite.mechanisms.entropy.system_bits", lambda n: int.from_bytes(source.bytes(-(-n // 8))) >> -n % 8
        )
        yield
