"""Requests to one service, each repeated until it is answered or its time is over.

A request is repeated as it was, under the id that it had: the service charges an id once. The token goes to the address
that was given and to no other: redirects are not followed.
"""

import json
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from eremite.client.refusals import NOT_NOW, again_in_words, error_of
from eremite.errors import EremiteError, InputError, ServiceError

if TYPE_CHECKING:
    import httpx

_FIRST_PAUSE, _LONGEST_PAUSE = 0.25, 10.0  # seconds
_CONNECT_SECONDS, _READ_SECONDS = 10.0, 60.0


class Wire:
    """A service over HTTP.

    Args:
        http: The connections; they have the address and the token.
        address: The address, for messages.
        retry_for: For how many seconds a request is repeated while the service is out of reach or has no room.
        clock: Seconds that go by.
        sleep: Lets seconds go by.
    """

    def __init__(
        self,
        http: "httpx.Client",
        address: str,
        *,
        retry_for: float,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.address = address
        self.clock = clock
        self._http = http
        self._retry_for = retry_for
        self.sleep = sleep

    def get(self, path: str, request_id: str | None = None, **parameters: object) -> "Answer":
        """What is at an address below the service's; the id of the question that it is about is for errors."""
        return self._send("GET", path, parameters, None, request_id)

    def delete(self, path: str) -> "Answer":
        """Remove what is at an address."""
        return self._send("DELETE", path, {}, None, None)

    def post(self, path: str, body: Mapping[str, Any], request_id: str | None, **parameters: object) -> "Answer":
        """Send a question, under its id if it has one."""
        return self._send("POST", path, parameters, json.dumps(body, allow_nan=False).encode(), request_id)

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def _send(
        self, method: str, path: str, parameters: Mapping[str, object], content: bytes | None, request_id: str | None
    ) -> "Answer":
        """The first answer that is not "not now"; after `retry_for` seconds of these, an error."""
        failing_since, pause = None, _FIRST_PAUSE
        while True:
            outcome = self._once(method, path, parameters, content, request_id)
            if isinstance(outcome, Answer) and outcome.status not in NOT_NOW:
                return outcome
            failing_since = self.clock() if failing_since is None else failing_since
            wanted = outcome.retry_after if isinstance(outcome, Answer) else None
            wait = pause if wanted is None else wanted
            if isinstance(outcome, _Hopeless) or self.clock() + wait > failing_since + self._retry_for:
                raise _error(outcome, request_id)
            self.sleep(wait)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _once(
        self, method: str, path: str, parameters: Mapping[str, object], content: bytes | None, request_id: str | None
    ) -> "Answer | ServiceError":
        """One attempt: its answer, or why there is none. Errors of httpx hold the request, and are not passed on."""
        import httpx

        if self._http.is_closed:
            raise InputError("This session is closed; connect again.")
        wait = parameters.get("wait")
        patience = _READ_SECONDS + (wait if isinstance(wait, int | float) else 0)
        try:
            response = self._http.request(
                method,
                path,
                params={name: str(value) for name, value in parameters.items() if value is not None},
                content=content,
                timeout=httpx.Timeout(patience, connect=_CONNECT_SECONDS),
            )
        except httpx.ConnectError as error:
            untrusted = "CERTIFICATE_VERIFY_FAILED" in str(error)
        except httpx.HTTPError:
            return ServiceError(
                f"The connection to {self.address} broke, or nothing came over it in time.{again_in_words(request_id)}",
                request_id=request_id,
            )
        else:
            return Answer(response)
        if untrusted:
            return _Hopeless(
                f"The certificate of {self.address} is not one that this machine trusts; if your institution has a "
                "certificate authority of its own, give its file with verify=.",
                request_id=request_id,
            )
        return ServiceError(
            f"{self.address} cannot be reached; check the address, and whether the service runs."
            f"{again_in_words(request_id)}",
            request_id=request_id,
        )


class Answer:
    """A response, read."""

    def __init__(self, response: "httpx.Response") -> None:
        self.status = response.status_code
        self.text = response.text
        self._headers = response.headers

    @property
    def retry_after(self) -> float | None:
        """For how many seconds the service does not want to be asked again, if it says so."""
        text = self._headers.get("retry-after", "")
        return float(text) if text.isascii() and text.isdigit() and len(text) < 6 else None

    @property
    def fields(self) -> dict[str, Any]:
        """The JSON object in it; an empty one if it holds none."""
        try:
            found = json.loads(self.text)
        except (ValueError, RecursionError):
            found = None
        return found if isinstance(found, dict) else {}

    def require(self, *statuses: int, request_id: str | None = None) -> "Answer":
        """This answer, if it has one of these statuses and holds an object; the exception that it means otherwise."""
        if self.status in statuses and self.fields:
            return self
        raise error_of(self.status, self.fields or {"location": self._headers.get("location")}, request_id)


class _Hopeless(ServiceError):  # noqa: N818 -- it names a state
    """What does not get better by itself."""


def _error(outcome: "Answer | ServiceError", request_id: str | None) -> EremiteError:
    if isinstance(outcome, Answer):
        return error_of(outcome.status, outcome.fields, request_id)
    return ServiceError(str(outcome), request_id=outcome.request_id)
