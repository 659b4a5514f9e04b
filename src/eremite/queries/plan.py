"""What every question and its plan offer: so charging, computing and storing need not know which question it is."""

from collections.abc import Callable
from typing import Any, ClassVar, Protocol

from eremite.ledger import Cost
from eremite.outliers import OutlierDefinition
from eremite.privacy import Privacy
from eremite.release import Parameters, Value
from eremite.table import Table

#: Called with the number of subspaces counted so far. The pace depends on the rows: for the custodian alone.
Progress = Callable[[int], None]


class Query(Protocol):
    """A question as a frozen record: the fields an analyst fills in. Identity is the record, never its wording."""

    #: The name of the question in releases, in the ledger and in fingerprints.
    name: ClassVar[str]

    def plan(self, table: Table) -> Any:
        """Check the question against the public facts of a table, and decide how to answer it."""


class Plan(Protocol):
    """How a question will be answered, decided from public facts only."""

    @property
    def query(self) -> Query:
        """The question with its columns and numbers settled: what a fingerprint identifies."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that take part."""

    @property
    def privacy(self) -> Privacy:
        """What the answer spends, of a person with all rows this person has."""

    @property
    def cost(self) -> Cost:
        """What the answer spends, as the ledger counts."""

    @property
    def mechanism(self) -> str:
        """The name of the mechanism that draws the answer."""

    @property
    def parameters(self) -> Parameters:
        """What else was asked for, as the release carries it."""

    def definition_of(self, value: Value) -> OutlierDefinition:
        """The definition that belongs to an answer."""


class Answerable(Plan, Protocol):
    """A plan whose answer is one value."""

    def compute(self, table: Table, progress: Progress | None = None) -> Value:
        """The answer, private with `privacy` once that has been charged."""


class WithDefinition:
    """A plan whose question says what an outlier is."""

    __slots__ = ()
    query: Any

    @property
    def definition(self) -> OutlierDefinition:
        """When a row, or a candidate, is an outlier."""
        definition: OutlierDefinition = self.query.definition
        return definition

    def definition_of(self, value: Value) -> OutlierDefinition:
        """The definition that was asked for, whatever the answer is."""
        return self.definition
