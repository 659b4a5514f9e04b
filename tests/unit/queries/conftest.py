"""Draws are the same every time: what these tests claim holds for all of them, or for nearly all."""

import random

import pytest

from eremite.mechanisms import entropy


@pytest.fixture(autouse=True)
def same_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entropy, "system_bits", random.Random(1).getrandbits)  # noqa: S311 -- a test's own
