"""How the tests of the table ask for a refusal, and check that no cell travels with it."""

import traceback
from collections.abc import Callable

import pytest

from eremite.errors import InputError

SECRETS = ("SECRETCELL", "31337.4242", "SECRETWORD")


def _refused(action: Callable[[], object]) -> str:
    with pytest.raises(InputError) as caught:
        action()
    error: BaseException | None = caught.value
    while error is not None:
        told = f"{error!s} {error!r} {''.join(traceback.format_exception(error))}"
        assert not [secret for secret in SECRETS if secret in told]
        error = error.__cause__ or error.__context__
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture(scope="session")
def refused() -> Callable[[Callable[[], object]], str]:
    """Run an action that must raise `InputError`; give its sentence, which holds no secret on any path."""
    return _refused
