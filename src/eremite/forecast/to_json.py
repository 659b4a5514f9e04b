"""Forecasts as plain facts, ready for JSON, and back: the same for the command line, the service and its clients."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from eremite.errors import InputError
from eremite.privacy import exact, json_number

T = TypeVar("T")


def to_json(value: Any) -> Any:
    """A record and all it holds, by the names of its fields; fractions as numbers that read back as the same."""
    if is_dataclass(value):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return [to_json(part) for part in value]
    return json_number(value) if isinstance(value, Fraction) else value


def from_json(record: type[T], plain: object) -> T:
    """The record whose `to_json` this is: each field has the type that the record declares. Anything else is refused.

    A field that the record does not have is ignored, since a newer service may say more.
    """
    try:
        read: T = _read(record, plain)
    except (ValueError, TypeError, AttributeError, RecursionError, InputError):
        raise InputError(f"This is not the JSON of a {record.__name__}; give what to_json wrote.") from None
    return read


def _read(kind: Any, plain: Any) -> Any:
    """A value of this type; a ValueError, or another error that `from_json` knows, for what is none."""
    if is_dataclass(kind):
        return _read_record(kind, plain)
    if get_origin(kind) is tuple:
        return _read_tuple(get_args(kind), plain)
    if isinstance(kind, UnionType):
        return _read_either(get_args(kind), plain)
    if kind is Fraction:
        return exact(plain, "the number")
    if kind is float and type(plain) is int:
        return float(plain)
    if type(plain) is not kind:
        raise ValueError
    return plain


def _read_record(kind: Any, plain: Mapping[str, Any]) -> Any:
    kinds = get_type_hints(kind)
    given = {field.name for field in fields(kind)} & plain.keys()
    return kind(**{name: _read(kinds[name], plain[name]) for name in given})


def _read_tuple(kinds: tuple[Any, ...], plain: Any) -> tuple[Any, ...]:
    if type(plain) is not list:
        raise ValueError
    if len(kinds) == 2 and kinds[1] is ...:
        return tuple(_read(kinds[0], part) for part in plain)
    return tuple(_read(kind, part) for kind, part in zip(kinds, plain, strict=True))


def _read_either(kinds: tuple[Any, ...], plain: Any) -> Any:
    """The value by the first of the types that it is one of."""
    for kind in kinds:
        if kind is NoneType and plain is None:
            return None
        try:
            return _read(kind, plain)
        except (ValueError, TypeError):
            continue
    raise ValueError
