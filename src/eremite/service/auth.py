"""Authentication and authorization: the dependencies of the routes."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, HTTPException, Path, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from eremite.errors import InputError
from eremite.service.errors import TokensUnavailable
from eremite.service.identity import Proof
from eremite.service.state import Dataset, ServiceState
from eremite.service.tokens import Grant, find_grant, read_grants, utc_today

_NO_TOKEN = (
    "This token is missing, unknown or expired; send one that the custodian made, as Authorization: Bearer TOKEN."  # noqa: S105
)
_NO_DATASET = "There is no dataset of this name that this token may ask about."
_NO_CUSTODIAN = "This is for the custodian's tokens only."

_bearer = HTTPBearer(auto_error=False, description="A token that the custodian made with: eremite token add")
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
        return Proof(token_hash=self.grant.hash)


async def service_state(request: Request) -> ServiceState:
    """What the service holds. A coroutine, so that /healthz needs no thread of the pool that other routes share."""
    state: ServiceState = request.app.state.service
    return state


CurrentState = Annotated[ServiceState, Depends(service_state)]


def authenticate(state: CurrentState, credentials: _Credentials) -> Grant:
    """The grant of the token. The file is read for every request, so that a revoked token fails at once."""
    try:
        grants = read_grants(state.token_file)
    except InputError as error:
        sentence = str(error)
    else:
        grant = None if credentials is None else find_grant(credentials.credentials, grants, utc_today())
        if grant is None:
            raise HTTPException(401, _NO_TOKEN, {"WWW-Authenticate": "Bearer"})
        return grant
    raise TokensUnavailable(sentence)


CurrentGrant = Annotated[Grant, Depends(authenticate)]


def authorize(
    state: CurrentState,
    grant: CurrentGrant,
    name: Annotated[str, Path(description="Name of the dataset.")],
) -> Caller:
    """The caller. A dataset that the token may not use and one that does not exist give the same error."""
    if name not in grant.datasets or name not in state.datasets:
        raise HTTPException(404, _NO_DATASET)
    return Caller(state, grant, state.datasets[name])


CurrentCaller = Annotated[Caller, Depends(authorize)]


def require_custodian(caller: CurrentCaller) -> Caller:
    """The caller, if the token is a custodian's."""
    if not caller.grant.custodian:
        raise HTTPException(403, _NO_CUSTODIAN)
    return caller


CurrentCustodian = Annotated[Caller, Depends(require_custodian)]
