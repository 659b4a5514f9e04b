"""How many requests an account may send, and how many forecasts it may ask for.

Each account has an allowance that fills up steadily and holds so many requests at most. A request beyond it is refused
with 429 and the number of seconds after which the next one fits. Failed authentication has one allowance for everybody,
which only failures use and see: whoever sends a valid token is never refused because of others.
"""

import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from threading import Lock

from fastapi import HTTPException

from eremite.errors import InputError

_TOO_FAST = "This account sends requests too fast; wait {wait} and send this one again."
_TOO_MANY_FORECASTS = "This account has used its forecasts for now; the next one may be asked in {wait}."
_TOO_MANY_FAILURES = "Too many requests without a valid token arrive; check the token, and try again in {wait}."
_TOO_MANY_WAITING = (
    "Too many requests of this account wait for answers or events; end one of them, or try again in {wait}."
)
#: Requests of an account that wait at the same time.
MOST_WAITING = 20
_WAITING_SECONDS = 5.0
_MOST_PER_SECOND = 1_000_000
_MOST_ACCOUNTS = 10_000
_EVERYBODY = ""


@dataclass(frozen=True, slots=True)
class Rate:
    """One request in `seconds`, on average; `burst` of them at once after a pause."""

    seconds: float
    burst: int

    def next_full(self, full_at: float, now: float) -> float:
        """When the allowance is full again after one more request, if it is full at `full_at` without it."""
        return max(full_at, now) + self.seconds

    def wait(self, full_at: float, now: float) -> float:
        """Seconds until one more request fits; 0 or less if it fits now."""
        return self.next_full(full_at, now) - now - self.burst * self.seconds


REQUESTS = Rate(seconds=1 / 20, burst=60)
FORECASTS = Rate(seconds=3600 / 120, burst=120)
FAILURES = Rate(seconds=1 / 20, burst=200)


def rates_of(requests_per_second: float, forecasts_per_hour: float) -> "Rates":
    """What the custodian allows each account: three seconds' requests at once, and an hour's forecasts."""
    if not 0 < requests_per_second <= _MOST_PER_SECOND:
        raise InputError(f"--requests-per-second must be above 0 and at most {_MOST_PER_SECOND:,}.")
    if not 0 < forecasts_per_hour <= _MOST_PER_SECOND:
        raise InputError(f"--forecasts-per-hour must be above 0 and at most {_MOST_PER_SECOND:,}.")
    return Rates(
        Rate(1 / requests_per_second, max(1, ceil(3 * requests_per_second))),
        Rate(3600 / forecasts_per_hour, max(1, ceil(forecasts_per_hour))),
    )


class Rates:
    """Counts requests in memory: a restart fills all allowances. Safe to use from several threads."""

    def __init__(
        self,
        requests: Rate = REQUESTS,
        forecasts: Rate = FORECASTS,
        failures: Rate = FAILURES,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._requests = _Allowances(requests, clock)
        self._forecasts = _Allowances(forecasts, clock)
        self._failures = _Allowances(failures, clock)
        self._waiting: Counter[str] = Counter()
        self._lock = Lock()

    def require(self, account: str) -> None:
        """Count a request of an account, or refuse it."""
        _refuse_after(self._requests.take(account), _TOO_FAST)

    def require_forecast(self, account: str) -> None:
        """Count a forecast, which costs time and no epsilon, or refuse it."""
        _refuse_after(self._forecasts.take(account), _TOO_MANY_FORECASTS)

    @contextmanager
    def waiting(self, account: str) -> Iterator[None]:
        """Hold one of the account's places for requests that wait, for an answer or for events; or refuse it.

        Each takes a connection for long, so that one account could take all of them.
        """
        with self._lock:
            if self._waiting[account] >= MOST_WAITING:
                _refuse_after(_WAITING_SECONDS, _TOO_MANY_WAITING)
            self._waiting[account] += 1
        try:
            yield
        finally:
            with self._lock:
                self._waiting[account] -= 1
                if not self._waiting[account]:
                    del self._waiting[account]

    def require_failure(self) -> None:
        """Count a request without a valid token, before it gets its 401; refuse it if there are too many of them."""
        _refuse_after(self._failures.take(_EVERYBODY), _TOO_MANY_FAILURES)


class _Allowances:
    """For each account, when its allowance is full again. An account that is not listed has a full one."""

    def __init__(self, rate: Rate, clock: Callable[[], float]) -> None:
        self._rate = rate
        self._clock = clock
        self._full_at: OrderedDict[str, float] = OrderedDict()  # the account that asked last comes last
        self._lock = Lock()

    def take(self, account: str) -> float:
        """Take one request out of the allowance; seconds to wait, and nothing is taken, if it does not fit."""
        with self._lock:
            now = self._clock()
            full_at = self._full_at.get(account, now)
            wait = self._rate.wait(full_at, now)
            if wait > 0:
                return wait
            self._full_at[account] = self._rate.next_full(full_at, now)
            self._full_at.move_to_end(account)
            self._forget(now)
            return 0.0

    def _forget(self, now: float) -> None:
        """Forget who has a full allowance, oldest first; and the oldest one, if there are too many accounts."""
        while self._full_at and next(iter(self._full_at.values())) <= now:
            self._full_at.popitem(last=False)
        if len(self._full_at) > _MOST_ACCOUNTS:
            self._full_at.popitem(last=False)


def _refuse_after(seconds: float, sentence: str) -> None:
    if seconds > 0:
        whole = ceil(seconds)
        wait = f"{whole:,} second{'s' * (whole > 1)}"
        raise HTTPException(429, sentence.format(wait=wait), {"Retry-After": str(whole)})
