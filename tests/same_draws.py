"""For tests whose claims hold for all draws, or for nearly all: every time the same ones."""

import random

import pytest

from eremite.mechanisms import entropy


@pytest.fixture(autouse=True)
def same_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entropy, "system_bits", random.Random(1).getrandbits)  # noqa: S311 -- a test's own
