"""Sessions end in time, are bounded, and are found by nothing but their id."""

import pytest

from eremite.service.identity import Proof
from eremite.service.web.sessions import IDLE, LIFETIME, MOST_OF_ONE_PROOF, MOST_SESSIONS, Sessions


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def proof(number: int = 0) -> Proof:
    return Proof(token_hash=str(number))


def test_session_is_found_by_its_id_alone(clock: Clock) -> None:
    sessions = Sessions(clock)
    opened = sessions.open(proof())
    assert sessions.find(opened) is not None
    assert sessions.find(opened[:-1]) is None
    assert sessions.find("") is None


def test_session_has_an_id_of_256_bits_that_is_not_kept(clock: Clock) -> None:
    sessions = Sessions(clock)
    opened = sessions.open(proof())
    assert len(opened) == 43
    assert opened not in repr(vars(sessions))


def test_session_ends_when_it_is_not_used(clock: Clock) -> None:
    sessions = Sessions(clock)
    opened = sessions.open(proof())
    clock.now = IDLE - 1
    assert sessions.find(opened) is not None
    clock.now += IDLE
    assert sessions.find(opened) is None


def test_session_ends_though_it_is_used(clock: Clock) -> None:
    sessions = Sessions(clock)
    opened = sessions.open(proof())
    while clock.now < LIFETIME - IDLE:
        clock.now += IDLE / 2
        assert sessions.find(opened) is not None
    clock.now = LIFETIME
    assert sessions.find(opened) is None


def test_closed_session_is_gone(clock: Clock) -> None:
    sessions = Sessions(clock)
    opened = sessions.open(proof())
    sessions.close(opened)
    assert sessions.find(opened) is None


def test_oldest_session_of_a_token_makes_room(clock: Clock) -> None:
    sessions = Sessions(clock)
    other = sessions.open(proof(1))
    first = sessions.open(proof())
    for _ in range(MOST_OF_ONE_PROOF):
        clock.now += 1
        last = sessions.open(proof())
    assert sessions.find(first) is None
    assert sessions.find(last) is not None
    assert sessions.find(other) is not None


def test_number_of_sessions_is_bounded(clock: Clock) -> None:
    sessions = Sessions(clock)
    for number in range(MOST_SESSIONS + 5):
        sessions.open(proof(number))
    assert len(sessions) == MOST_SESSIONS


def test_secret_of_one_session_is_not_that_of_another(clock: Clock) -> None:
    sessions = Sessions(clock)
    one, other = (sessions.find(sessions.open(proof())) for _ in range(2))
    assert one is not None
    assert other is not None
    assert one.has_csrf(one.csrf)
    assert not one.has_csrf(other.csrf)
    assert not one.has_csrf("")
    assert not one.has_csrf("ö")
