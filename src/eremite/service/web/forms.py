"""Forms as browsers send them."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qs

from fastapi import HTTPException, Request

#: A longer form is refused: of a visitor, and of somebody who is not signed in yet.
MOST_FORM_BYTES = 2**20
MOST_SIGN_IN_BYTES = 16 * 2**10
_MOST_FIELDS = 20_000


@dataclass(frozen=True, slots=True)
class Form:
    """The fields of a form, by name: each may occur several times."""

    fields: Mapping[str, list[str]]

    def text(self, name: str, default: str = "") -> str:
        """The field, without spaces around it."""
        return self.fields.get(name, [default])[0].strip()

    def texts(self, name: str) -> list[str]:
        """All fields of this name."""
        return list(self.fields.get(name, []))


async def form_content(request: Request, most: int = MOST_FORM_BYTES) -> bytes:
    """The form in the body, of at most so many bytes: no more than that is kept."""
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > most:
            raise HTTPException(413, f"The form is longer than {most // 2**10:,} KiB; send less at once.")
    return bytes(content)


def form_of(content: bytes) -> Form:
    """The fields of a form. Files are not taken, so nothing is ever written to disk."""
    try:
        fields = parse_qs(content.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise HTTPException(400, "The form cannot be read; open the page again.") from None
    return Form(fields)
