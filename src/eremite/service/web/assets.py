"""The files that pages load: style sheets, htmx, an icon. Read once, and served from memory under their own hash."""

import gzip
import hashlib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from fastapi import HTTPException, Request
from fastapi.responses import Response

_FOLDER = Path(__file__).parent / "static"
_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
_YEAR = "public, max-age=31536000, immutable"  # an address has the hash of the file, so it never changes


@dataclass(frozen=True, slots=True)
class Asset:
    """A file, as it is and compressed."""

    media_type: str
    tag: str  # the beginning of the hash of its content
    content: bytes = field(repr=False)
    compressed: bytes = field(repr=False)


@cache
def assets() -> dict[str, Asset]:
    """All files by name."""
    return {path.name: _asset(path) for path in sorted(_FOLDER.iterdir()) if path.suffix in _TYPES}


def _asset(path: Path) -> Asset:
    content = path.read_bytes()
    tag = hashlib.sha256(content).hexdigest()[:16]
    return Asset(_TYPES[path.suffix], tag, content, gzip.compress(content, mtime=0))


async def static_file(request: Request, name: str) -> Response:
    """A file. It is the same for everybody, so it may be kept, unlike pages."""
    asset = assets().get(name)
    if asset is None:
        raise HTTPException(404, "There is no such file.")
    headers = {"Cache-Control": _YEAR, "Vary": "Accept-Encoding", "X-Content-Type-Options": "nosniff"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(asset.compressed, media_type=asset.media_type, headers=headers | {"Content-Encoding": "gzip"})
    return Response(asset.content, media_type=asset.media_type, headers=headers)
