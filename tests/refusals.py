"""How tests ask for a refusal, and see that no cell and no password travels with it."""

import traceback
from collections.abc import Callable, Iterator

import pytest

from eremite.errors import InputError

#: What tests write into tables, and into addresses of databases.
SECRETS = ("SECRETCELL", "31337.4242", "SECRETWORD")


def refused(action: Callable[[], object]) -> str:
    """The sentence of an action that must raise `InputError`; it holds no secret on any path, nor do its causes."""
    with pytest.raises(InputError) as caught:
        action()
    for error in _chain(caught.value):
        told = f"{error!s} {error!r} {''.join(traceback.format_exception(error))}"
        assert not [secret for secret in SECRETS if secret in told]
    assert "\n" not in str(caught.value)
    return str(caught.value)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
