"""Who asked: what is kept of a caller with a waiting question, so that their rights are checked again at its turn."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eremite.service.oidc import Oidc, OidcGrant
from eremite.service.tokens import Grant, grant_of_hash, read_grants, utc_today


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """How a caller proved who they are. It holds no secret.

    Of a token that the custodian made it has the hash by which the file keeps it; of an issuer's token it has what the
    token allowed, since nobody keeps that one.
    """

    token_hash: str | None = None
    granted: OidcGrant | None = None

    def __post_init__(self) -> None:
        if (self.token_hash is None) == (self.granted is None):
            raise ValueError("A proof is of one token.")

    def to_json(self) -> dict[str, Any]:
        """The fields as JSON values, as waiting questions keep them."""
        if self.granted is None:
            return {"token_hash": self.token_hash}
        granted = self.granted
        return {
            "issuer": granted.issuer,
            "audience": granted.audience,
            "account": granted.account,
            "datasets": list(granted.datasets),
            "custodian": granted.custodian,
            "expires_at": granted.expires_at,
        }

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "Proof":
        """What `to_json` wrote."""
        if "token_hash" in fields:
            return cls(token_hash=fields["token_hash"])
        datasets, name = tuple(fields["datasets"]), fields["account"]
        return cls(granted=OidcGrant(**(fields | {"datasets": datasets, "name": name, "hash": ""})))


def proof_of(grant: Grant) -> Proof:
    """The proof of whoever has this grant."""
    return Proof(granted=grant) if isinstance(grant, OidcGrant) else Proof(token_hash=grant.hash)


def grant_now(token_file: Path, proof: Proof, oidc: Oidc | None = None, *, waiting: bool = True) -> Grant | None:
    """What the caller may do now; None if their token was revoked or has expired. Reads the tokens again.

    An issuer's token is not at hand any more. What it allowed holds while the same issuer is trusted, until it expires;
    a question that waits may be asked for a while longer.
    """
    if proof.granted is not None:
        return proof.granted if oidc is not None and oidc.is_valid(proof.granted, waiting=waiting) else None
    return grant_of_hash(proof.token_hash or "", read_grants(token_file), utc_today())
