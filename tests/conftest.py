"""Set-up that holds for every test."""

import hashlib
import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Compiled kernels are cached, but a kernel is not recompiled when a function it inlines from another file changes.
# A cache named after the sources of all kernels can never serve a stale kernel to a test.
_PACKAGE = Path(__file__).parents[1] / "src" / "eremite"
_SOURCES = sorted(
    path for home in ("engines", "geometry", "reach", "tiles") for path in (_PACKAGE / home).rglob("*.py")
)
_DIGEST = hashlib.sha256(b"".join(path.read_bytes() for path in _SOURCES)).hexdigest()[:16]
os.environ["NUMBA_CACHE_DIR"] = str(Path(__file__).parents[1] / ".numba_cache" / _DIGEST)

# How long an example takes says something about the machine, and about compiling; nothing about the claim.
# The examples are the same every time: a test fails for whoever broke it. `--hypothesis-profile curious` tries others.
settings.register_profile("curious", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("patient", settings.get_profile("curious"), derandomize=True)
settings.load_profile("patient")


def pytest_xdist_auto_num_workers(config):
    """One more than there are cores: many tests wait for a disk, a process or a clock."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(autouse=True)
def same_draws() -> Iterator[None]:
    """Draws are the same every time, whatever a test undoes; in a process that a test starts they are real ones."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("eremite.mechanisms.entropy.system_bits", random.Random(1).getrandbits)  # noqa: S311 -- a test's own
        yield
