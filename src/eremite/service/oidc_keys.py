"""The public keys of an issuer: fetched when they are needed, kept for a bounded time, replaced when they change.

A token names its key. A name that is not known may be that of a new key, or may be made up. So it leads to one fetch,
and to no second one for a while. Keys are fetched in a thread of their own, which the event loop does not wait for;
what is fetched is bounded in time and in length. While the issuer does not answer, the keys of before are used, until
they are too old.
"""

import asyncio
import json
import socket
import ssl
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from threading import Thread, Timer
from typing import Any
from urllib.parse import urlsplit

import jwt

from eremite.service.errors import LOG, IssuerUnavailable
from eremite.service.oidc_settings import OidcSettings, is_safe_address

#: By the name of a key and an algorithm that it fits.
Keys = Mapping[tuple[str, str], Any]

FETCH_SECONDS = 5.0
#: Seconds between two fetches, at least, whatever callers send.
FETCH_PAUSE = 30.0
#: Seconds after which keys are fetched again, though all that are named are known: one may have been withdrawn.
FRESH_SECONDS = 3600.0
MAX_BYTES = 256 * 2**10
MAX_KEYS = 100
_RSA_BITS = range(2048, 8192 + 1)
_KINDS = {"RS256": ("RSA", None), "PS256": ("RSA", None), "ES256": ("EC", "P-256"), "EdDSA": ("OKP", "Ed25519")}


class KeyRing:
    """The keys of one issuer. For one event loop."""

    def __init__(
        self,
        settings: OidcSettings,
        clock: Callable[[], float] = time.monotonic,
        fetch: Callable[[], Keys] | None = None,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._fetch = fetch or (lambda: fetch_keys(settings))
        self._keys: Keys = {}
        self._fetched_at: float | None = None
        self._tried_at: float | None = None
        self._under_way: Future[Keys | Exception] | None = None
        self._failing = False

    async def find(self, name: str, algorithm: str) -> Any | None:
        """The key of this name, for this algorithm; None if the issuer has none."""
        if (name, algorithm) not in self._keys or self._age() >= FRESH_SECONDS:
            await self._refresh()
        if self._age() > self._settings.keys_kept_for:
            raise IssuerUnavailable(
                f"The keys of {self._settings.issuer} cannot be fetched; its tokens are refused until they can."
            )
        return self._keys.get((name, algorithm))

    def _age(self) -> float:
        return float("inf") if self._fetched_at is None else self._clock() - self._fetched_at

    async def _refresh(self) -> None:
        """Wait for the fetch that is under way, or for a new one if there was none for a while; but not for long."""
        now = self._clock()
        if self._under_way is None:
            if self._tried_at is not None and now - self._tried_at < FETCH_PAUSE:
                return
            self._tried_at, self._under_way = now, self._start()
        began = now if self._tried_at is None else self._tried_at
        await asyncio.wait([asyncio.wrap_future(self._under_way)], timeout=max(0.0, began + FETCH_SECONDS + 1 - now))
        self._take()

    def _start(self) -> "Future[Keys | Exception]":
        done: Future[Keys | Exception] = Future()
        done.set_running_or_notify_cancel()  # a caller that goes away does not cancel it

        def run() -> None:
            try:
                done.set_result(self._fetch())
            except Exception as error:
                done.set_result(error)

        Thread(target=run, name="eremite-oidc", daemon=True).start()
        return done

    def _take(self) -> None:
        """Take over what was fetched, once; keep what there is if the fetch failed."""
        done = self._under_way
        if done is None or not done.done():
            return
        self._under_way = None
        fetched = done.result()
        if not isinstance(fetched, Exception):
            self._keys, self._fetched_at, self._failing = fetched, self._clock(), False
        elif not self._failing:
            self._failing = True
            reason = str(fetched) if isinstance(fetched, IssuerUnavailable) else type(fetched).__name__
            LOG.error("The keys of %s were not fetched: %s", self._settings.issuer, reason)


def fetch_keys(settings: OidcSettings) -> Keys:
    """The keys that the issuer publishes now, or an `IssuerUnavailable`. Blocks for a bounded time."""
    deadline = time.monotonic() + FETCH_SECONDS
    context = ssl.create_default_context(cafile=settings.ca_file)
    address = settings.jwks
    if address is None:
        issuer = settings.issuer
        facts = _fetch_json(f"{issuer.rstrip('/')}/.well-known/openid-configuration", deadline, context)
        address = facts.get("jwks_uri")
        if facts.get("issuer") != issuer or not is_safe_address(address):
            raise IssuerUnavailable("Its configuration names another issuer, or no https address of its keys.")
    keys = parse_keys(_fetch_json(str(address), deadline, context), settings.algorithms)
    if not keys:
        raise IssuerUnavailable("It publishes no key that fits the algorithms allowed.")
    return keys


def _fetch_json(address: str, deadline: float, context: ssl.SSLContext) -> dict[str, Any]:
    try:
        content = json.loads(_fetch(address, deadline, context))
    except (OSError, HTTPException, ValueError, RecursionError) as error:
        raise IssuerUnavailable(f"{address} did not answer with JSON in time ({type(error).__name__}).") from None
    if not isinstance(content, dict):
        raise IssuerUnavailable(f"{address} did not answer with a JSON object.")
    return content


def _fetch(address: str, deadline: float, context: ssl.SSLContext) -> bytes:
    """The body of the response. Redirects are not followed."""
    parts = urlsplit(address)
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    connection = (
        HTTPSConnection(parts.hostname or "", parts.port or 443, timeout=seconds, context=context)
        if parts.scheme == "https"
        else HTTPConnection(parts.hostname or "", parts.port or 80, timeout=seconds)
    )
    try:
        connection.connect()
        # A timeout of the socket begins anew with every byte; this ends a response that comes byte by byte.
        ending = Timer(max(0.0, deadline - time.monotonic()), _shut, [connection.sock])
        ending.daemon = True
        ending.start()
        try:
            connection.request("GET", parts.path or "/", headers={"Accept": "application/json"})
            with connection.getresponse() as response:
                return _body(response)
        finally:
            ending.cancel()
    finally:
        connection.close()


def _shut(sock: socket.socket) -> None:
    with suppress(OSError):
        sock.shutdown(socket.SHUT_RDWR)


def _body(response: HTTPResponse) -> bytes:
    if response.status != 200:
        raise ValueError
    content = response.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise ValueError
    return content


def parse_keys(jwks: Mapping[str, Any], algorithms: tuple[str, ...]) -> Keys:
    """The keys that fit an algorithm, each under its name. Keys that are secret, for other uses or broken are left out.

    A key that names its algorithm fits that one alone.
    """
    listed = jwks.get("keys")
    keys: dict[tuple[str, str], Any] = {}
    for jwk in listed[:MAX_KEYS] if isinstance(listed, list) else ():
        for algorithm in algorithms:
            if isinstance(jwk, dict) and _fits(jwk, algorithm):
                key = _load(jwk, algorithm)
                if key is not None:
                    keys.setdefault((jwk["kid"], algorithm), key)
    return keys


def _fits(jwk: dict[str, Any], algorithm: str) -> bool:
    kind, curve = _KINDS[algorithm]
    uses = jwk.get("key_ops", ["verify"])
    return (
        isinstance(jwk.get("kid"), str)
        and jwk.get("kty") == kind
        and (curve is None or jwk.get("crv") == curve)
        and jwk.get("use", "sig") == "sig"
        and isinstance(uses, list)
        and "verify" in uses
        and jwk.get("alg", algorithm) == algorithm
        and "d" not in jwk
    )


def _load(jwk: dict[str, Any], algorithm: str) -> Any | None:
    if jwk["kty"] == "RSA" and len(str(jwk.get("n"))) > _RSA_BITS[-1] // 6 + 8:
        return None
    try:
        key = jwt.PyJWK(jwk, algorithm=algorithm).key
    except Exception:  # one key that is broken, in whatever way, does not hinder the others
        return None
    return key if jwk["kty"] != "RSA" or key.key_size in _RSA_BITS else None
