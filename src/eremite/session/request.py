"""One question as it is charged: all that is public about a release before there is one."""

import hashlib
import json
from dataclasses import dataclass, fields
from datetime import datetime
from fractions import Fraction
from typing import Any

import numpy as np

from eremite.outliers import OutlierDefinition
from eremite.queries.public_noise import Computed, planned_reach, public_noise, released_value
from eremite.release import Expected, Parameters, Release
from eremite.release.expected import UNKNOWN
from eremite.session.duration import AnyPlan
from eremite.tiles import AnyTable
from eremite.version import __version__

#: Increase this when a change gives the same question another fingerprint: the ledger then refuses older ids, but for
#: those of the version before if they have the fingerprint that it gave.
FINGERPRINT_VERSION = 3
_FORMER_VERSION = 2


@dataclass(frozen=True, slots=True)
class Request:
    """A planned question about a table. Made from public facts only."""

    plan: AnyPlan
    table: AnyTable

    @property
    def question(self) -> dict[str, Any]:
        """The question as the ledger keeps it: what was asked, and what the plan made of it."""
        planned = {name: value for name, value in self.plan.parameters if name == "utility"}
        planned |= {"mechanism": self.plan.mechanism, "rows_per_person": self.table.rows_per_person}
        if (reach := planned_reach(self.plan)) is not None:
            planned["reach"] = reach
        return self._asked | {"planned": planned}

    @property
    def _asked(self) -> dict[str, Any]:
        """The fields of the question, ready for JSON; long lists are hashed. Fields without a value are left out."""
        query = self.plan.query
        values = {field.name: getattr(query, field.name) for field in fields(query)}
        said = {"query": query.name, "columns": list(self.plan.columns)}
        return said | {name: _to_json(value) for name, value in values.items() if value is not None}

    @property
    def fingerprint(self) -> str:
        """Stable hash that identifies the question, as asked, and the rules of the table it is about.

        The number of rows is no part of it: when rows come or go, a retry still finds its stored answer.
        """
        return (
            f"{FINGERPRINT_VERSION}:{_digest([self._asked, self.table.facts.rules_to_json(), list(self.table.bounds)])}"
        )

    @property
    def former_fingerprint(self) -> str:
        """What version 2 gave: it held the number of rows too. Requests in older ledgers are found by it."""
        return f"{_FORMER_VERSION}:{_digest([self._asked, self.table.facts.to_json(), list(self.table.bounds)])}"

    def release(
        self,
        computed: Computed,
        request_id: str,
        charged_at: datetime,
        more: Parameters = (),
        expected: Expected = UNKNOWN,
    ) -> Release:
        """The answer with all that was public before it. How long it took to compute depends on the rows."""
        plan, value = self.plan, released_value(computed)
        return Release(
            value=value,
            query=plan.query.name,
            columns=plan.columns,
            definition=plan.definition_of(value),
            epsilon=plan.privacy.epsilon,
            delta=plan.privacy.delta,
            mechanism=plan.mechanism,
            neighbors=self.table.neighbors,
            rows_per_person=self.table.rows_per_person,
            parameters=(*plan.parameters, *more),
            expected=expected,
            noise=public_noise(plan, computed, self.table),
            request_id=request_id,
            time=charged_at,
            version=__version__,
        )


@dataclass(frozen=True, slots=True)
class Prepared:
    """A question that was checked, under its id, and how far off its answer may be. Nothing was charged."""

    request: Request
    request_id: str
    expected: Expected


@dataclass(frozen=True, slots=True)
class Paid:
    """A prepared question that was charged then, and is to be computed once."""

    prepared: Prepared
    charged_at: datetime


def _to_json(value: Any) -> Any:
    if isinstance(value, OutlierDefinition):
        return value.to_json()
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, np.ndarray):
        return {"points": len(value), "sha256": hashlib.sha256(value.tobytes()).hexdigest()}
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return {"listed": len(value), "sha256": _digest(value)}
    return list(value) if isinstance(value, tuple) else value


def _digest(value: Any) -> str:
    """SHA-256 of the one JSON text of a value."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
