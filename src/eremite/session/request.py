"""One question as it is charged: what is public about a release before there is one."""

import hashlib
import json
from dataclasses import dataclass, replace
from datetime import datetime

from eremite.ledger import Cost
from eremite.outliers import OutlierDefinition
from eremite.privacy import Privacy
from eremite.release import Parameter, Release, Value
from eremite.version import __version__


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Everything about a release but its value, its id and its time. Made from public facts only."""

    query: str
    definition: OutlierDefinition
    columns: tuple[str, ...]
    privacy: Privacy
    cost: Cost
    mechanism: str
    neighbors: str
    facts: str  # what is public about the table: rows, bounds
    parameters: tuple[tuple[str, Parameter], ...] = ()
    detail: str = ""  # what the parameters say in short: the family in full, the candidates

    @property
    def fingerprint(self) -> str:
        """The same for the same question, another one for another."""
        said = [
            self.query,
            [self.definition.min_neighbors, repr(self.definition.radius)],
            self.columns,
            [str(self.privacy.epsilon), str(self.privacy.delta)],
            self.mechanism,
            self.neighbors,
            self.facts,
            self.parameters,
            self.detail,
        ]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()

    @property
    def words(self) -> str:
        """What was asked, for people who read the ledger."""
        definition = f"min_neighbors={self.definition.min_neighbors}, radius={self.definition.radius!r}"
        said = [f"{name}={value}" for name, value in self.parameters]
        return "; ".join(
            [f"{self.query} in {', '.join(self.columns)}", definition, self.mechanism, self.neighbors, *said]
        )

    def release(self, value: Value, request_id: str, charged_at: datetime) -> Release:
        """The answer with all that was public before it. How long it took to compute depends on the rows.

        An answer that is a text is a radius, and becomes that of the definition.
        """
        return Release(
            value=value,
            query=self.query,
            columns=self.columns,
            definition=replace(self.definition, radius=float(value)) if isinstance(value, str) else self.definition,
            epsilon=self.privacy.epsilon,
            delta=self.privacy.delta,
            mechanism=self.mechanism,
            neighbors=self.neighbors,
            parameters=self.parameters,
            request_id=request_id,
            time=charged_at,
            version=__version__,
        )
