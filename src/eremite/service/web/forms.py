"""Forms as browsers send them."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qs

from fastapi import HTTPException, Request

_MOST_FORM_BYTES = 2**20
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


async def read_form(request: Request) -> Form:
    """The fields of a form in the body. Files are not taken, so nothing is ever written to disk."""
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > _MOST_FORM_BYTES:
            raise HTTPException(413, f"The form is longer than {_MOST_FORM_BYTES // 2**20} MiB; send less at once.")
    try:
        fields = parse_qs(content.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise HTTPException(400, "The form cannot be read; open the page again.") from None
    return Form(fields)
