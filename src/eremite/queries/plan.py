"""What every plan offers, so that charging and storing need not know which question it answers."""

from collections.abc import Callable
from typing import Any, Protocol

from eremite.ledger import Cost
from eremite.outliers import OutlierDefinition
from eremite.privacy import Privacy
from eremite.release import Parameters, Value

#: Called with how much is done so far: sets of columns, groups or radii that were counted, points that were looked at;
#: in a single count, steps. The pace depends on the rows: for the custodian alone.
Progress = Callable[[int], None]


class Plan(Protocol):
    """How a question will be answered, decided from public facts only."""

    @property
    def query(self) -> Any:
        """The record of the question, with its columns and numbers settled: what a fingerprint identifies."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that take part."""

    @property
    def privacy(self) -> Privacy:
        """Epsilon and delta of the answer, for all rows of one person together."""

    @property
    def cost(self) -> Cost:
        """What the answer spends, as the ledger counts."""

    @property
    def mechanism(self) -> str:
        """The name of the mechanism that draws the answer."""

    @property
    def parameters(self) -> Parameters:
        """What else was asked for, as the release carries it."""

    def definition_of(self, value: Value) -> OutlierDefinition | None:
        """The definition that belongs to an answer; None if the question is not about outliers."""


class WithDefinition:
    """A plan whose question says what an outlier is."""

    __slots__ = ()
    query: Any

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that take part."""
        columns: tuple[str, ...] = self.query.columns
        return columns

    @property
    def definition(self) -> OutlierDefinition:
        """When a row, or a candidate, is an outlier."""
        definition: OutlierDefinition = self.query.definition
        return definition

    def definition_of(self, value: Value) -> OutlierDefinition:
        """The definition that was asked for, whatever the answer is."""
        return self.definition
