"""Which tables are neighbors, and what a step from one to the next may change (claims L1 and A1).

theory                          here
replace a row, t times          t rows added and t removed, Change(t, t, t, t + 1)
a additions, b removals         Change(a + b, a, b, a)
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eremite.geometry import kissing_number_bound
from eremite.privacy import Neighbors
from eremite.sensitivity.global_sensitivity import global_bounds, most_moved, most_turned

#: No table has so many rows, and no look so many steps (claim A2): a cap above it changes no profile.
LARGEST_SIZE = 2**34


class Change(NamedTuple):
    """A way to a table some steps away: so many rows added, so many removed; a replaced row is both."""

    step: int
    added: int
    removed: int
    own: int  # how many rows may turn there beside those that one row can turn here


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """All ways up to a step, the nearest first. One leads further than another if it adds and removes no fewer rows."""

    relation: "Relation"
    step: NDArray[np.int64]
    added: NDArray[np.int64]
    removed: NDArray[np.int64]
    own: NDArray[np.int64]

    def __len__(self) -> int:
        return self.step.size

    def __getitem__(self, place: int) -> Change:
        return Change(*(int(part[place]) for part in (self.step, self.added, self.removed, self.own)))

    def within(self, change: Change) -> NDArray[np.bool_]:
        """Which of them this one leads as far as, or further."""
        return (self.added <= change.added) & (self.removed <= change.removed)

    def beyond(self, change: Change) -> NDArray[np.bool_]:
        """Which of them lead as far as this one, or further."""
        return (self.added >= change.added) & (self.removed >= change.removed)

    def hull(self, places: NDArray[np.intp]) -> Change:
        """One that leads as far as all of these; it may be none of them."""
        return self.relation.change(int(self.added[places].max()), int(self.removed[places].max()))


@dataclass(frozen=True, slots=True)
class Relation:
    """Which tables are neighbors, and how many rows they have: all public.

    `rows` is N with "replace". With "add-remove", where N is private, it is about how many there are, as declared.
    """

    neighbors: Neighbors
    rows: int

    @property
    def is_replacement(self) -> bool:
        return self.neighbors == "replace"

    def most_moved(self, d: int, min_neighbors: int) -> int:
        """What a release takes for the global sensitivity: proved for the rounded distances (claims G2 and A2)."""
        if self.is_replacement:
            return most_moved(self.rows, d, min_neighbors)
        return most_turned(d, min_neighbors)

    def cap(self, d: int, min_neighbors: int) -> int:
        """The cap of the profile of a release: what `most_moved` says, or a number that no table reaches, if less.

        Where rows come and go, `most_moved` does not fit into 64 bits for some dozens of columns.
        """
        return min(self.most_moved(d, min_neighbors), LARGEST_SIZE)

    def most_in_theory(self, d: int, min_neighbors: int) -> int:
        """The same for distances without rounding (claims G1 and A2)."""
        if self.is_replacement:
            return global_bounds(self.rows, d, min_neighbors)[1]
        return min_neighbors * kissing_number_bound(d)

    def least(self, step: int) -> int:
        """A^(step) of every table, or less, up to the cap."""
        return step + 1 if self.is_replacement else max(1, step)

    def change(self, added: int, removed: int) -> Change:
        """So many rows added and removed; the same number of both where rows are replaced."""
        if self.is_replacement:
            return Change(added, added, removed, added + 1)
        return Change(added + removed, added, removed, added)

    def of_step(self, step: int) -> list[Change]:
        """All ways to the tables of one step."""
        if self.is_replacement:
            return [self.change(step, step)]
        return [self.change(added, step - added) for added in range(step + 1)]

    def number_up_to(self, last: int) -> int:
        """How many ways `up_to` lists."""
        return last + 1 if self.is_replacement else (last + 1) * (last + 2) // 2

    def up_to(self, last: int) -> Changes:
        """All ways to tables up to so many steps away."""
        if self.is_replacement:
            steps = np.arange(last + 1)
            return Changes(self, steps, steps, steps, steps + 1)
        steps = np.repeat(np.arange(last + 1), np.arange(1, last + 2))
        added = np.arange(steps.size) - steps * (steps + 1) // 2
        return Changes(self, steps, added, steps - added, added)
