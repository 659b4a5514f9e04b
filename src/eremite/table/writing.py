"""How a data file is written: separator, decimal sign, encoding, sheet. All of it is declared, and nothing is guessed.

An encoding is accepted if every line decodes by itself, whatever the other lines hold: the bytes of ASCII stand for
themselves, no character swallows a line break, and nothing shifts the meaning of later bytes; UTF-16 and UTF-32
are accepted as well.
"""

import codecs
from dataclasses import dataclass
from functools import cache
from math import isnan

import pyarrow as pa
import pyarrow.compute as pc

from eremite.errors import InputError
from eremite.table import cells

_ASCII = bytes(range(128))
_ESCAPES = b"xn--4ca.\\u000a \\x0a \\n +AAo- ~{ &#10; %0A =0A"  # what some encoding takes for a line break or a shift
_WIDE = {f"utf-{width}{order}" for width in (16, 32) for order in ("", "-le", "-be")}
_UTF8 = {"utf-8", "utf-8-sig"}
_NO_SEPARATOR = '"\r\n\0.+-'
# Digits around one comma: a number whose decimal sign, or sign of thousands, is a comma.
_DECIMAL_COMMA = r"^[ \t]*[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?[ \t]*$"


@dataclass(frozen=True, slots=True)
class Writing:
    """How a text file is written, and which sheet of a workbook is read; valid from birth.

    `separator` None is a tab in .tsv files and a comma in others; `sheet` None is the first one.
    """

    separator: str | None = None
    decimal: str = "."
    encoding: str = "utf-8"
    sheet: str | None = None

    def __post_init__(self) -> None:
        if self.separator is not None and not _is_separator(self.separator):
            raise InputError('separator must be one character that no number or name needs, such as ";" or "\\t"')
        if self.decimal not in {".", ","}:
            raise InputError('decimal must be "." or ","')
        if not _is_by_line(self.encoding):
            raise InputError(
                'encoding must be one that Python knows and that keeps lines apart, such as "utf-8", "latin-1", '
                '"cp1252" or "utf-16"'
            )

    @property
    def is_utf8(self) -> bool:
        """Whether the text is UTF-8, with or without a byte order mark."""
        return codecs.lookup(self.encoding).name in _UTF8

    def numbers(self, texts: pa.ChunkedArray) -> pa.ChunkedArray:
        """Numbers parsed from texts written this way, cell by cell; null where a text is no number.

        Signs of thousands are not part of a number: with decimal commas, "1.234,5" is none.
        """
        if self.decimal == ".":
            return cells.from_text(texts)
        plain = pc.if_else(pc.match_substring(texts, "."), pa.scalar(None, texts.type), texts)
        return cells.from_text(pc.replace_substring(plain, self.decimal, "."))

    def with_points(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        """These texts, and those among them that are numbers written this way once more with a decimal point."""
        if self.decimal == ".":
            return texts
        pointed = (text.replace(self.decimal, ".") for text in texts if "." not in text)
        return tuple(dict.fromkeys((*texts, *(text for text in pointed if not isnan(cells.number_of_text(text))))))

    def meets_decimal_commas(self, texts: pa.ChunkedArray) -> bool:
        """Whether some text is a number with a decimal comma, while the declared decimal sign is a point."""
        return self.decimal == "." and pc.any(pc.match_substring_regex(texts, _DECIMAL_COMMA)).as_py() is True


def _is_separator(text: str) -> bool:
    return len(text) == 1 and text.isascii() and not text.isalnum() and text not in _NO_SEPARATOR


@cache
def _is_by_line(encoding: str) -> bool:
    """Whether lines in this encoding can be decoded one by one."""
    try:
        name = codecs.lookup(encoding).name
        if name in _WIDE:
            return True
        single = all(bytes([code]).decode(encoding) == chr(code) for code in _ASCII)
        return single and _ESCAPES.decode(encoding) == _ESCAPES.decode("ascii") and _keeps_line_breaks(encoding)
    except (LookupError, ValueError):
        return False


def _keeps_line_breaks(encoding: str) -> bool:
    return all(_ends_in(end, bytes([code]) + end, encoding) for code in range(128, 256) for end in (b"\n", b"\r"))


def _ends_in(end: bytes, line: bytes, encoding: str) -> bool:
    """Whether a line break after some byte stays one; a byte that needs another one after it is refused by itself."""
    try:
        return line.decode(encoding).endswith(end.decode("ascii"))
    except UnicodeError:
        return True


PLAIN = Writing()
