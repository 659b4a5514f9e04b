"""The private side of a session, guarded: a refusal does not reach it, and what reaches it is paid for."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction

import pytest

from eremite import EremiteError, InputError, Privacy, Session, Table


class PrivateSideError(Exception):
    """What the private side may raise."""


@contextmanager
def guarded_rows(look: Callable[..., object]) -> Iterator[None]:
    """Whoever looks at a row meets `look`."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("points", "column", "part", "part_by_cell", "groups", "rows_taking_part"):
            patch.setattr(Table, name, look)
        yield


def refused_for_free(table: Table, ask: Callable[[Session], object], refusal: type[EremiteError] = InputError) -> str:
    """The sentence of a refusal that spends nothing and looks at no row, under a budget of 1."""
    session = Session(table, epsilon=1)
    with guarded_rows(lambda *_: pytest.fail("rows were looked at")), pytest.raises(refusal) as caught:
        ask(session)
    assert session.remaining == Privacy(Fraction(1))
    return str(caught.value)


def left_when_looking(table: Table, ask: Callable[[Session], object]) -> Privacy:
    """What is left of a budget of 1 when a row is looked at, and stays left when that fails."""
    session, found = Session(table, epsilon=1), []

    def look(*_: object) -> None:
        found.append(session.remaining)
        raise PrivateSideError

    with guarded_rows(look), pytest.raises(PrivateSideError):
        ask(session)
    assert set(found) == {session.remaining}
    return session.remaining
