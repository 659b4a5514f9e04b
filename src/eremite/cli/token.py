"""`eremite token`: who may ask what over HTTP."""

import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from rich.table import Table as Grid
from rich.text import Text

from eremite.cli.terminal import framed
from eremite.errors import InputError
from eremite.names import list_names, show_name
from eremite.service.tokens import Grant, change_grants, hash_of, new_token, read_grants


def add(
    file: Path, name: str, account: str, datasets: Sequence[str], custodian: bool, expires: str | None, as_json: bool
) -> str:
    """Make a token, and show it for the only time."""
    token = new_token()
    grant = Grant(
        name=name,
        account=account,
        datasets=tuple(dict.fromkeys(datasets)),
        custodian=custodian,
        expires=None if expires is None else _day(expires),
        hash=hash_of(token),
    )
    change_grants(file, lambda grants: (*_without_namesake(grants, grant), grant))
    if as_json:
        return json.dumps(_shown(grant) | {"token": token})
    return f"{token}\nThis is the token of {show_name(name)}. It is shown this once: {file} keeps a hash of it."


def revoke(file: Path, name: str, as_json: bool) -> str:
    """Take a token back."""

    def without(grants: tuple[Grant, ...]) -> tuple[Grant, ...]:
        left = tuple(grant for grant in grants if grant.name != name)
        if left == grants:
            raise InputError(f"{file} has no token of {show_name(name)}; see eremite token list.")
        return left

    read_grants(file)  # a file that is not there has none to revoke
    change_grants(file, without)
    return json.dumps({"revoked": name}) if as_json else f"The token of {show_name(name)} is of no use any more."


def listed(file: Path, as_json: bool) -> str:
    """Every token's grant. The tokens themselves are nowhere."""
    grants = read_grants(file)
    if as_json:
        return json.dumps([_shown(grant) for grant in grants])
    grid = Grid("token of", "account", "datasets", "custodian", "good until", box=None, padding=(0, 2, 0, 0))
    for grant in grants:
        until = "it is revoked" if grant.expires is None else grant.expires.isoformat()
        names = show_name(grant.name), show_name(grant.account), list_names(grant.datasets, "datasets")
        grid.add_row(*map(Text, (*names, "yes" if grant.custodian else "", until)))
    return framed(grid)


def _shown(grant: Grant) -> dict[str, object]:
    """Without the hash, which is of no use to anybody."""
    return {name: value for name, value in grant.to_dict().items() if name != "hash"}


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InputError("--expires must be a day such as 2027-01-31, the last one the token is good for.") from None


def _without_namesake(grants: tuple[Grant, ...], new: Grant) -> tuple[Grant, ...]:
    if any(grant.name == new.name for grant in grants):
        raise InputError(f"There is a token of {show_name(new.name)} already; revoke it first, or use another name.")
    return grants
