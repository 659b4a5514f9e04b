"""Who asks, and about what: the dependencies of every route."""

from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, HTTPException, Path, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from eremite import Session
from eremite.errors import InputError
from eremite.service.failures import TokensOutOfReach
from eremite.service.house import Dataset, House
from eremite.service.token_file import read_grants
from eremite.service.tokens import Grant, grant_of, utc_today

_NO_TOKEN = (
    "This token is missing, unknown or expired; send one that the custodian made, as Authorization: Bearer TOKEN."  # noqa: S105
)
_NO_DATASET = "There is no dataset of this name that this token may ask about."
_NO_CUSTODIAN = "This is for the custodian's tokens only."

_bearer = HTTPBearer(auto_error=False, description="A token that the custodian made with: eremite token add")


_Sent = Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]


@dataclass(frozen=True, slots=True)
class Asker:
    """A token's grant, and the dataset it asks about."""

    house: House
    grant: Grant
    dataset: Dataset
    sent: HTTPAuthorizationCredentials | None = field(repr=False)

    def still(self) -> "Asker":
        """The same asker after a wait, by what the tokens say now; refused if the token is revoked or expired."""
        return asking(self.house, granted(self.house, self.sent), self.sent, self.dataset.name)

    def session(self) -> Session:
        """Where the asker's account asks."""
        return self.dataset.session(self.grant.account)


async def house_of(request: Request) -> House:
    """What the service holds. Not in a thread: /healthz needs none of those that all other routes share."""
    house: House = request.app.state.house
    return house


HouseOf = Annotated[House, Depends(house_of)]


def granted(house: HouseOf, sent: _Sent) -> Grant:
    """The grant of the token that was sent; the file is read anew, so that revoking works at once."""
    try:
        grants = read_grants(house.tokens)
    except InputError as error:
        sentence = str(error)
    else:
        grant = None if sent is None else grant_of(sent.credentials, grants, utc_today())
        if grant is None:
            raise HTTPException(401, _NO_TOKEN, {"WWW-Authenticate": "Bearer"})
        return grant
    raise TokensOutOfReach(sentence)


Granted = Annotated[Grant, Depends(granted)]


def asking(
    house: HouseOf, grant: Granted, sent: _Sent, name: Annotated[str, Path(description="Of the dataset.")]
) -> Asker:
    """The token and its dataset. One it may not ask about is as one that is not there."""
    if name not in grant.datasets or name not in house.datasets:
        raise HTTPException(404, _NO_DATASET)
    return Asker(house, grant, house.datasets[name], sent)


Asking = Annotated[Asker, Depends(asking)]


def auditing(asker: Asking) -> Asker:
    """The same, of a custodian."""
    if not asker.grant.custodian:
        raise HTTPException(403, _NO_CUSTODIAN)
    return asker


Auditing = Annotated[Asker, Depends(auditing)]
