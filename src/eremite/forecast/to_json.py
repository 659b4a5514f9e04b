"""Forecasts as plain facts, ready for JSON: the same for the command line and the service."""

from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

from eremite.privacy import json_number


def to_json(value: Any) -> Any:
    """A record and all it holds, by the names of its fields; fractions as numbers that read back as the same."""
    if is_dataclass(value):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return [to_json(part) for part in value]
    return json_number(value) if isinstance(value, Fraction) else value
