"""Who asked: what is kept of a caller with a waiting question, so that their rights are checked again at its turn."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eremite.service.tokens import Grant, grant_of_hash, read_grants, utc_today


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """How a caller proved who they are. It holds no secret: of a token it has the hash by which the file keeps it."""

    token_hash: str

    def to_json(self) -> dict[str, Any]:
        """The fields as JSON values, as waiting questions keep them."""
        return {"token_hash": self.token_hash}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "Proof":
        """What `to_json` wrote."""
        return cls(token_hash=fields["token_hash"])


def grant_now(token_file: Path, proof: Proof) -> Grant | None:
    """What the caller may do now; None if their token was revoked or has expired. Reads the tokens again."""
    return grant_of_hash(proof.token_hash, read_grants(token_file), utc_today())
