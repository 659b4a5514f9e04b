"""An account that asks too fast is told when to go on; nobody else is."""

import pytest
from fastapi import HTTPException

from eremite.errors import InputError
from eremite.service import rates
from eremite.service.rates import FORECASTS, REQUESTS, Rate, Rates, rates_of


class Clock:
    """A clock that is moved by hand."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def limited(clock: Clock) -> Rates:
    """Two requests a second, three at once; a forecast a minute, two at once; a failure in ten seconds."""
    return Rates(Rate(0.5, 3), Rate(60, 2), Rate(10, 1), clock=clock)


def refused(take: object, *account: str) -> tuple[str, str] | None:
    try:
        take(*account)  # type: ignore[operator]
    except HTTPException as error:
        headers = error.headers or {}
        return headers["Retry-After"], error.detail
    return None


def test_burst_passes_and_the_next_request_waits_whole_seconds(limited: Rates, clock: Clock) -> None:
    assert [refused(limited.require, "a") for _ in range(3)] == [None] * 3
    assert refused(limited.require, "a") == (
        "1",
        "This account sends requests too fast; wait 1 second and send this one again.",
    )
    assert refused(limited.require, "b") is None
    clock.now += 0.5
    assert refused(limited.require, "a") is None
    assert refused(limited.require, "a") is not None


def test_whoever_waits_as_long_as_told_is_let_in(limited: Rates, clock: Clock) -> None:
    while (told := refused(limited.require_forecast, "a")) is None:
        pass
    assert told == ("60", "This account has used its forecasts for now; the next one may be asked in 60 seconds.")
    clock.now += 59
    assert refused(limited.require_forecast, "a") is not None
    clock.now += 1
    assert refused(limited.require_forecast, "a") is None


def test_refused_requests_do_not_prolong_the_wait(limited: Rates, clock: Clock) -> None:
    for _ in range(100):
        refused(limited.require, "a")
    clock.now += 1.5
    assert [refused(limited.require, "a") is None for _ in range(4)] == [True, True, True, False]


def test_refusal_has_the_status_of_too_many_requests(limited: Rates) -> None:
    limited.require_failure()
    with pytest.raises(HTTPException) as error:
        limited.require_failure()
    assert error.value.status_code == 429


def test_forecasts_and_requests_are_counted_apart(limited: Rates) -> None:
    while refused(limited.require, "a") is None:
        pass
    assert refused(limited.require_forecast, "a") is None


def test_failures_of_all_are_counted_together_and_hinder_no_account(limited: Rates) -> None:
    assert refused(limited.require_failure) is None
    told = refused(limited.require_failure)
    assert told is not None
    assert told[0] == "10"
    assert refused(limited.require, "a") is None
    assert refused(limited.require, "") is None


def test_account_has_few_places_for_requests_that_wait(limited: Rates, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "MOST_WAITING", 2)
    with limited.waiting("a"), limited.waiting("a"):
        with limited.waiting("b"):
            pass
        with pytest.raises(HTTPException) as error, limited.waiting("a"):
            pass
    assert (error.value.status_code, error.value.headers) == (429, {"Retry-After": "5"})
    with limited.waiting("a"):
        assert dict(limited._waiting) == {"a": 1}
    assert not limited._waiting


def test_no_more_accounts_are_remembered_than_there_is_room_for(
    limited: Rates, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rates, "_MOST_ACCOUNTS", 5)
    kept = limited._forecasts._full_at
    for number in range(20):
        limited.require_forecast(str(number))
        assert len(kept) <= 5
    clock.now += 61
    limited.require_forecast("a")
    assert list(kept) == ["a"]  # the others have a full allowance, as those who never asked


def test_usual_rates_let_sixty_requests_through_at_once_and_twenty_a_second(clock: Clock) -> None:
    usual = Rates(clock=clock)
    assert sum(refused(usual.require, "a") is None for _ in range(100)) == 60
    clock.now += 1
    assert sum(refused(usual.require, "a") is None for _ in range(100)) == 20
    assert sum(refused(usual.require_forecast, "a") is None for _ in range(200)) == 120


def test_rates_of_the_custodian_are_those_of_the_numbers_given() -> None:
    given = rates_of(20, 120)
    assert (given._requests._rate, given._forecasts._rate) == (REQUESTS, FORECASTS)
    assert rates_of(0.1, 0.5)._requests._rate == Rate(10, 1)


@pytest.mark.parametrize(
    ("numbers", "option"),
    [((0, 1), "requests-per-second"), ((1, -1), "forecasts-per-hour"), ((float("nan"), 1), "requests-per-second")],
)
def test_rates_that_let_nobody_in_are_refused(numbers: tuple[float, float], option: str) -> None:
    with pytest.raises(InputError, match=f"--{option} must be above 0"):
        rates_of(*numbers)
