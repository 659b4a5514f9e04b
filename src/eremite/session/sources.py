"""A fingerprint of where rows come from: of the text that names a source, never of the rows.

Two datasets with one source have two budgets, and what is released of both adds up; the fingerprint shows it.
"""

import hashlib
import json
from urllib.parse import parse_qsl

from eremite.table import Description
from eremite.table.sources import source_kind

_SECRET = ("password", "passfile", "sslpassword", "sslkey")


def source_fingerprint(description: Description) -> str:
    """SHA-256 of the kind of source, its resolved path or its address without a password, and the query."""
    dataset = description.dataset
    kind = source_kind(dataset.source)
    place: list[object] | str
    match kind:
        case "postgresql":
            place = address_of(dataset.source)
        case "spark":
            place = dataset.source
        case _:
            place = str(description.source_path.resolve())
    return hashlib.sha256(json.dumps([kind, place, dataset.query]).encode()).hexdigest()


def address_of(url: str) -> list[object]:
    """The parts of a database address that locate the rows, in a fixed order, without passwords."""
    _, _, rest = url.partition("://")
    whole, _, options = rest.partition("?")
    user, _, place = whole.rpartition("@")
    named = sorted(pair for pair in parse_qsl(options) if pair[0].lower() not in _SECRET)
    return [user.partition(":")[0], place, named]
