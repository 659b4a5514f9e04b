"""How many may be connected, how long one may stay silent, and how long the head of a request may be.

A connection takes one of the files that a process may have open. Whoever opened connections and sent nothing could take
them all, and those that ledger and tokens need with them. A proxy in front knows who connects, and can do better.
"""

import asyncio
from typing import cast

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from eremite.service.limits import LONGEST_HEAD

MOST = 150
"""Connections at a time: more than there are places for questions, fewer than a process may have files open."""
_PATIENCE = 10.0  # seconds
_BITE = LONGEST_HEAD // 2


class Connection(H11Protocol):
    """A connection that is ended when it is one too many, or when no request comes."""

    _seen: tuple[RequestResponseCycle | None, bool] = (None, True)
    """The last request, and if it was over, at the last look."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take it or end it, without a word."""
        super().connection_made(transport)
        if len(self.connections) > MOST:
            transport.abort()
        else:
            self.loop.call_later(_PATIENCE, self._look)

    def data_received(self, data: bytes) -> None:
        """Take what came bite by bite: h11 bounds a head it has in part (16 KiB), not one that came in one piece."""
        for start in range(0, len(data), _BITE):
            if self.transport.is_closing():
                return
            super().data_received(data[start : start + _BITE])

    def _look(self) -> None:
        """End it if no request was under way at the last look, and none came since.

        So whoever was just answered has the time to ask again.
        """
        if self.transport.is_closing():
            return
        request = cast("RequestResponseCycle | None", self.cycle)  # the last one, if there was any
        now = (request, request is None or request.response_complete)
        if now == self._seen and now[1]:
            self.transport.close()
            return
        self._seen = now
        self.loop.call_later(_PATIENCE, self._look)
