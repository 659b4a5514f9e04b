"""How far off an answer may be, as far as public rows or made-up ones tell: known before it was drawn."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_NAMES = ("error", "error_from", "chance", "chance_from")
_LARGEST = 10**15  # no release of ours has larger errors; texts stay short


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What to expect of an answer. All of it is public; None where nothing can be said."""

    error: int | None = None  # 95 % of such counts are off by this at most; of several counts, the largest
    error_from: str | None = None  # on which rows it was computed, in words
    chance: float | None = None  # the probability that all that was drawn is right
    chance_from: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The fields as a release has them in its JSON."""
        return {f"expected_{name}": getattr(self, name) for name in _NAMES}

    @classmethod
    def parsed(cls, fields: Mapping[str, Any]) -> "Expected":
        """The record in the JSON of a release, which may be from before there were any; a ValueError if it is none."""
        error, error_from, chance, chance_from = (fields.get(f"expected_{name}") for name in _NAMES)
        if (error is None) != (error_from is None) or (chance is None) != (chance_from is None):
            raise ValueError
        if error is not None and not (type(error) is int and 0 <= error <= _LARGEST and isinstance(error_from, str)):
            raise ValueError
        if chance is not None and not (
            isinstance(chance, int | float) and 0 <= chance <= 1 and isinstance(chance_from, str)
        ):
            raise ValueError
        return cls(error=error, error_from=error_from, chance=chance, chance_from=chance_from)


#: Nothing is known.
UNKNOWN = Expected()
