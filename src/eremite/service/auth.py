"""Authentication and authorization: the dependencies of the routes."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, HTTPException, Path, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from eremite.errors import InputError
from eremite.service.audit import note
from eremite.service.errors import LOG, TokenRefused, TokensUnavailable
from eremite.service.identity import Proof, grant_now, proof_of
from eremite.service.oidc import is_of_issuer
from eremite.service.state import Dataset, ServiceState
from eremite.service.tokens import Grant, find_grant, read_grants, utc_today

_NO_TOKEN = (
    "This token is missing, unknown or expired; send one that the custodian made, as Authorization: Bearer TOKEN."  # noqa: S105
)
_GONE = "This token was revoked or has expired, or may no longer ask this; what was charged stays charged."
_NO_DATASET = "There is no dataset of this name that this token may ask about."
NO_CUSTODIAN = "This is for the custodian's tokens only."

_bearer = HTTPBearer(
    auto_error=False,
    description="A token that the custodian made with eremite token add, or one of the institution's identity provider",
)
_Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]


@dataclass(frozen=True, slots=True)
class Caller:
    """The grant of the token that was sent, and the dataset of the request."""

    state: ServiceState
    grant: Grant
    dataset: Dataset

    @property
    def proof(self) -> Proof:
        """What is kept of the caller while a question waits."""
        return proof_of(self.grant)


async def service_state(request: Request) -> ServiceState:
    """What the service holds. A coroutine, so that /healthz needs no thread of the pool that other routes share."""
    state: ServiceState = request.app.state.service
    return state


CurrentState = Annotated[ServiceState, Depends(service_state)]


async def authenticate(request: Request, state: CurrentState, credentials: _Credentials) -> Grant:
    """The grant of the token, unless its account sends requests too fast."""
    try:
        grant = await identify(state, "" if credentials is None else credentials.credentials)
    except TokenRefused as error:
        sentence = str(error)
    else:
        note(request.scope, who=grant.name)
        state.rates.require(grant.account)
        return grant
    state.rates.require_failure()
    raise HTTPException(401, sentence, {"WWW-Authenticate": "Bearer"})


async def identify(state: ServiceState, token: str) -> Grant:
    """The grant of a token, of the custodian's or of an issuer's, or a `TokenRefused`.

    The file is read for every request, so that a revoked token fails at once.
    """
    if state.oidc is not None and is_of_issuer(token):
        return await state.oidc.grant(token)
    grant = await run_in_threadpool(_find_grant, state, token)
    if grant is None:
        raise TokenRefused(_NO_TOKEN)
    return grant


def _find_grant(state: ServiceState, token: str) -> Grant | None:
    try:
        grants = read_grants(state.token_file)
    except InputError as error:
        sentence = str(error)
    else:
        return find_grant(token, grants, utc_today())
    raise TokensUnavailable(sentence)


CurrentGrant = Annotated[Grant, Depends(authenticate)]


async def grant_of(state: ServiceState, proof: Proof) -> Grant | None:
    """What somebody may do now; None if their token was revoked or has expired."""
    try:
        return await run_in_threadpool(grant_now, state.token_file, proof, state.oidc, waiting=False)
    except InputError as error:
        sentence = str(error)
    raise TokensUnavailable(sentence)


async def may_still(state: ServiceState, grant: Grant, *datasets: str, custodian: bool = False) -> bool:
    """Whether a token is still of its account and for these datasets and, if so wanted, still a custodian's."""
    now = await grant_of(state, proof_of(grant))
    if now is None or now.account != grant.account:
        return False
    return set(datasets) <= set(now.datasets) and (now.custodian or not custodian)


async def require_still(state: ServiceState, grant: Grant, *datasets: str, custodian: bool = False) -> None:
    """Refuse to go on if a token was revoked, has expired or allows less than when the head of its request arrived.

    For whatever is done or told after a body was received or a job waited for: both can take long.
    """
    if not await may_still(state, grant, *datasets, custodian=custodian):
        raise HTTPException(401, _GONE, {"WWW-Authenticate": "Bearer"})


async def may_stream(state: ServiceState, grant: Grant, dataset: str) -> bool:
    """Whether a stream may go on. If the tokens cannot be read it ends: it has no other way to say so."""
    try:
        return await may_still(state, grant, dataset)
    except TokensUnavailable as error:
        LOG.error("%s", error)
        return False


async def hold_place(state: CurrentState, grant: CurrentGrant) -> AsyncIterator[None]:
    """Hold one of the account's places for requests that wait, until the response has ended; or refuse it."""
    with state.rates.waiting(grant.account):
        yield


async def authorize(
    state: CurrentState,
    grant: CurrentGrant,
    name: Annotated[str, Path(description="Name of the dataset.")],
) -> Caller:
    """The caller. A dataset that the token may not use and one that does not exist give the same error."""
    if name not in grant.datasets or name not in state.datasets:
        raise HTTPException(404, _NO_DATASET)
    return Caller(state, grant, state.datasets[name])


CurrentCaller = Annotated[Caller, Depends(authorize)]


async def require_custodian(caller: CurrentCaller) -> Caller:
    """The caller, if the token is a custodian's."""
    if not caller.grant.custodian:
        raise HTTPException(403, NO_CUSTODIAN)
    return caller


CurrentCustodian = Annotated[Caller, Depends(require_custodian)]
