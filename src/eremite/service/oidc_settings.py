"""The file of `eremite serve --oidc`: whose tokens are taken, and how their claims map to accounts and datasets.

Whoever can write this file can give themselves access, so it must be as private as the token file. It holds no secret.
"""

import os
import tomllib
from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError

from eremite.errors import InputError
from eremite.names import require_name
from eremite.service.file_permissions import require_private_file, require_private_folder
from eremite.table.description_errors import syntax_sentence

#: All that can be allowed. Each is asymmetric: who can check a token cannot make one.
Algorithm = Literal["RS256", "PS256", "ES256", "EdDSA"]
ALGORITHMS: tuple[Algorithm, ...] = ("RS256", "PS256", "ES256", "EdDSA")

_DAY = 86_400
_CUSTOM = "eremite"
_REPAIRS = {
    "literal_error": f"must be of {', '.join(ALGORITHMS)}",
    "string_type": "must be text in quotes",
    "string_too_short": "must not be empty",
    "int_type": "must be a whole number of seconds",
    "greater_than_equal": "must be {ge} or more",
    "less_than_equal": "must be at most {le}",
    "too_short": "must not be empty",
    "tuple_type": "must be a list of texts in brackets",
    "dict_type": "must be a section of its own",
    "model_type": "must be a section of its own, with keys",
}


def _tuple(value: Any) -> Any:
    """Lists of TOML as tuples."""
    return tuple(value) if isinstance(value, list) else value


def _path(value: Any) -> Any:
    """A claim: its name, or the names on the way to it in a list."""
    return (value,) if isinstance(value, str) else _tuple(value)


def _require_address(value: str) -> str:
    if not is_safe_address(value):
        raise PydanticCustomError(
            _CUSTOM, "must be an address with https:// (http:// on this machine alone), without user, query or fragment"
        )
    return value


def is_safe_address(address: object) -> bool:
    """Whether keys may be fetched from there: by https, or by http from this machine itself."""
    if not isinstance(address, str) or not address.isascii() or not address.isprintable() or " " in address:
        return False
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    if not host or parts.username is not None or parts.password is not None or "?" in address or "#" in address:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and _is_loopback(host))


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _require_dataset(value: str) -> str:
    try:
        return require_name(value, "dataset")
    except InputError:
        raise PydanticCustomError(_CUSTOM, "must be the names of datasets, of printable characters") from None


Text = Annotated[str, Field(min_length=1)]
Texts = Annotated[tuple[Text, ...], BeforeValidator(_tuple)]
Address = Annotated[str, AfterValidator(_require_address)]
Claim = Annotated[tuple[Text, ...], BeforeValidator(_path), Field(min_length=1)]
Names = Annotated[tuple[Annotated[str, AfterValidator(_require_dataset)], ...], BeforeValidator(_tuple)]


class _Section(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, hide_input_in_errors=True)


class AccountClaim(_Section):
    """The claim that is the account, and what stands before it, to keep these accounts apart from others."""

    claim: Claim = ("sub",)
    prefix: str = ""


class DatasetsClaim(_Section):
    """The datasets of everybody with a valid token; and those that a claim names, directly or by a table of values."""

    everybody: Names = ()
    claim: Claim | None = None
    values: Mapping[str, Names] | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.claim is None and not self.everybody:
            raise PydanticCustomError(_CUSTOM, "needs a claim, or a list of datasets for everybody")
        if self.claim is None and self.values is not None:
            raise PydanticCustomError(_CUSTOM, "has values, and no claim that they are values of")
        return self


class CustodianClaim(_Section):
    """The claim and the value that make a custodian of a caller, for all datasets that the caller has."""

    claim: Claim
    value: Text


class OidcSettings(_Section):
    """Whose tokens are taken, and what their claims mean. Times are in seconds."""

    issuer: Address
    audience: Text
    jwks: Address | None = None  # None: the issuer says where its keys are
    ca_file: Text | None = None  # certificates to trust instead of the machine's
    algorithms: Annotated[tuple[Algorithm, ...], BeforeValidator(_tuple), Field(min_length=1)] = ALGORITHMS
    clients: Texts = ()  # to whom a token may have been given (azp, client_id); empty: to anybody
    skew: int = Field(default=60, ge=0, le=600)
    max_age: int = Field(default=_DAY, ge=60, le=30 * _DAY)
    queued_for: int = Field(default=3600, ge=0, le=7 * _DAY)
    keys_kept_for: int = Field(default=_DAY, ge=60, le=7 * _DAY)
    account: AccountClaim = AccountClaim()
    datasets: DatasetsClaim
    custodian: CustodianClaim | None = None


def read_settings(path: Path) -> OidcSettings:
    """The settings in a file; every problem is one sentence that names the file and the key."""
    try:
        with path.open("rb") as file:
            require_private_file(path, os.fstat(file.fileno()))
            content = file.read()
        require_private_folder(path)
    except FileNotFoundError:
        raise InputError(f"{path} does not exist; docs/how-to/oidc.md says what it holds.") from None
    except OSError:
        raise InputError(f"{path} cannot be read; check its permissions.") from None
    try:
        settings = OidcSettings.model_validate(_parse(path, content))
    except ValidationError as error:
        sentence = _sentence(path, error.errors(include_url=False, include_input=False)[0])
    else:
        if settings.ca_file is not None and not Path(settings.ca_file).is_file():
            raise InputError(f"In {path}, ca_file must be a file of certificates; {settings.ca_file} is none.")
        return settings
    raise InputError(sentence)


def _parse(path: Path, content: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(content.decode())
    except (ValueError, RecursionError) as error:
        sentence = syntax_sentence(path, error)
    raise InputError(sentence)


def _sentence(path: Path, problem: ErrorDetails) -> str:
    key = ".".join(part for part in problem["loc"] if isinstance(part, str)) or "the file"
    if problem["type"] == "extra_forbidden":
        return f"{path} has the unknown key {key}; remove it, docs/how-to/oidc.md lists the keys."
    if problem["type"] == "missing":
        return f"{path} has no {key}; docs/how-to/oidc.md has an example."
    if problem["type"] == _CUSTOM:
        return f"In {path}, {key} {problem['msg']}."
    repair = _REPAIRS.get(problem["type"], "does not fit; docs/how-to/oidc.md has an example")
    return f"In {path}, {key} {repair.format(**problem.get('ctx', {}))}."
