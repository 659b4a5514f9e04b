"""`eremite init`: what was written, as text or JSON."""

import json
import shlex
from pathlib import Path

from eremite.table import Starter, write_starter


def run(file: Path, output: Path | None, as_json: bool) -> str:
    """Write the description and say so."""
    starter = write_starter(file, output)
    return _json(starter) if as_json else _text(starter)


def _json(starter: Starter) -> str:
    facts = {"description": str(starter.path), "numeric": starter.numeric, "other": starter.other}
    return json.dumps(facts)


def _text(starter: Starter) -> str:
    found = f"{len(starter.numeric)} numeric column{'s' * (len(starter.numeric) != 1)}"
    left = f", {len(starter.other)} left out as not numeric" if starter.other else ""
    return (
        f"Wrote {starter.path} with {found}{left}.\n"
        f"Next: fill in the bounds in [columns], then run: eremite check {shlex.quote(str(starter.path))}"
    )
