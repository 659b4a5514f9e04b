"""Smooth bound on the local sensitivity of the outlier count (claims S1 to S3).

paper      here
A^(t)(X)   the largest Windows.turned(change) + change.own of the changes of t steps, capped
rho        decay        the bound may change by at most 1/decay between neighbors
S(X)       the returned fraction
"""

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, inf, log, log1p
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eremite.engines import FindNeighbors, Rows, d_of
from eremite.errors import InputError
from eremite.outliers import OutlierDefinition, checked_points
from eremite.privacy import Neighbors
from eremite.sensitivity.relation import Change, Changes, Relation
from eremite.sensitivity.strata import Strata, windows_in_strata
from eremite.sensitivity.windows import Method, Windows, limits_for, windows

#: A release searches at most so many changes: replacements, whose values are fractions of about 60 bits for each step,
#: and additions and removals, in about 110 bytes each (claim S3). Public.
MOST_CHANGES: dict[Neighbors, int] = {"replace": 1_000_000, "add-remove": 18_000_000}

# A glimpse keeps so many steps: as many as lead over a gap of eight million.
_STEPS_KEPT = 4096

# Logarithms decide which steps are worth an exact look. They err by less than this, and a tie gets the look.
_SLACK = 1e-9

# Beyond these, rates and their logarithms would not be floats.
_LEAST_DECAY = Fraction(1, 10**300)

# Steps up to so many times the first open one share the work of sorting out which rows may matter.
_BLOCK = 2

# And so do steps whose windows have at most so many times as many rows. If they are many, the last one is looked at
# first: what it tells of edges holds for all of them.
_ALIKE_ROWS = 1.3
_MANY = 10

# After so many blocks the best value is hardly beaten any more, and late steps can be closed by coarse counts; another
# one is worth it if no more than this part of the steps was left open.
_FIRST_BLOCKS = 2
_FEWER = 0.8
_FEWER_OF_MANY = 0.3  # where changes are additions and removals

# Steps share a look if their floors are at most about so many times that of the first.
_ALIKE = 1.5


def smooth_bound(
    points: ArrayLike,
    definition: OutlierDefinition,
    decay: Fraction,
    method: Method = "auto",
    *,
    neighbors: Neighbors = "replace",
) -> Fraction:
    """S(X) = max over all t of decay^t A^(t)(X), exactly.

    At least the local sensitivity, and between neighbors, tables that differ in one row replaced or in one row more or
    less, it changes by at most the factor 1 / decay. Steps are evaluated best first and skipped where a bound says they
    cannot win; the result is the plain maximum. As private as the rows.
    """
    if type(decay) is not Fraction or not _LEAST_DECAY <= decay <= 1 - _LEAST_DECAY:
        raise InputError("decay must be a Fraction above 0 and below 1, by 1e-300 at least.")
    rows = checked_points(points)
    relation = named_relation(neighbors, len(rows))
    most = relation.most_in_theory(rows.shape[1], definition.min_neighbors)
    if most == 0:
        return Fraction(0)  # no row to replace
    last = last_useful_step(most, decay, relation.neighbors)
    limits = limits_for(relation.rows) if method == "auto" else None
    seen = windows(rows, definition, last + 1, method, most, limits=limits)
    return _searched(seen, relation, decay, last).best


def named_relation(neighbors: Neighbors, rows: int) -> Relation:
    """The relation of this name among tables of so many rows; where rows come and go, their number plays no part."""
    if neighbors not in get_args(Neighbors):
        raise InputError(f"neighbors must be one of {', '.join(get_args(Neighbors))}.")
    return Relation(neighbors, rows if neighbors == "replace" else 0)


def count_with_bound(
    rows: Rows,
    definition: OutlierDefinition,
    decay: Fraction,
    relation: Relation | None = None,
    starts: NDArray[np.intp] | None = None,
    progress: Callable[[int], None] | None = None,
) -> tuple[int, Fraction]:
    """q(X) and S(X) of the rows that take part, as a release uses them: degrees counted once, capped by its cap.

    Without a relation, the rows are all of a table, and are replaced. `progress` is called with 1 once degrees are
    counted, and then with one more after each look for the bound. As private as the rows.
    """
    relation = relation or all_replaced(rows)
    most = relation.cap(d_of(rows), definition.min_neighbors)
    if most == 0:
        return 0, Fraction(0)
    last = last_useful_step(most, decay, relation.neighbors)
    seen = windows_in_strata(rows, starts, definition, last + 1, "auto", most, limits_for(relation.rows))
    return seen.outliers, _searched(seen, relation, decay, last, progress=progress).best


def all_replaced(rows: Rows) -> Relation:
    """The relation where these are all rows of a table, and any may be replaced."""
    if not isinstance(rows, np.ndarray):
        raise InputError("Rows that are elsewhere need a relation.")
    return Relation("replace", len(rows))


@dataclass(frozen=True, slots=True)
class Glimpse:
    """What is kept of one subspace of many: its count, and bounds on its profile that cost nothing more."""

    outliers: int
    most: int
    ceiling: NDArray[np.int64]  # A^(t), or more
    neighbors: Neighbors = "replace"

    def upper(self, step: int) -> int:
        """A^(step), or more."""
        return int(self.ceiling[step]) if step < len(self.ceiling) else self.most

    def lower(self, step: int) -> int:
        """A^(step), or less."""
        return min(self.most, Relation(self.neighbors, 0).least(step))


def glimpse(
    rows: Rows,
    definition: OutlierDefinition,
    decay: Fraction,
    known: Fraction,
    find: FindNeighbors,
    relation: Relation | None = None,
    starts: NDArray[np.intp] | None = None,
) -> tuple[Glimpse, Fraction]:
    """The count of one subspace and bounds on its profile; and the larger of S(X) and `known`, by cores.

    Over a family of subspaces, handing on the largest bound known so far gives the largest of all, at little cost.
    As private as the rows.
    """
    relation = relation or all_replaced(rows)
    most = relation.cap(d_of(rows), definition.min_neighbors)
    last = last_useful_step(most, decay, relation.neighbors)
    seen = windows_in_strata(rows, starts, definition, last + 1, "core", most, limits_for(relation.rows), find)
    search = _searched(seen, relation, decay, last, known)
    return Glimpse(seen.outliers, most, search.sizes()[:_STEPS_KEPT].copy(), relation.neighbors), search.best


def smallest_bound(most: int, decay: Fraction) -> tuple[int, float]:
    """The step t that maximizes decay^t min(t + 1, most), and about this maximum; public (claim S3)."""
    step = min(most - 1, max(0, round(1 / _fall(decay)) - 1))
    return step, exp(-_fall(decay) * step) * (step + 1)


def smooth_bound_of_line(growth: Fraction, most: int, decay: Fraction) -> float:
    """About the smooth bound of a table whose profile is min(growth (t + 1), most)."""
    full = ceil(most / growth) - 1  # the step where the line ends
    steps = {max(0, full - 1), full, *(min(full, max(0, round(1 / _fall(decay)) + off)) for off in (-2, -1, 0))}
    return max(exp(-_fall(decay) * step) * min(float(growth * (step + 1)), most) for step in steps)


def last_useful_step(most: int, decay: Fraction, neighbors: Neighbors = "replace") -> int:
    """A step beyond which no table's maximum lies (claim S3); from public facts only.

    A^(t) >= min(t + 1, most) with replaced rows, so S is at least what `smallest_bound` has, while
    decay^t A^(t) <= decay^t most. With rows that come and go A^(t + 1) is at least as much.
    """
    step, _ = smallest_bound(most, decay)
    later = 0 if neighbors == "replace" else 1
    return step + later + 1 + ceil(log(most / (step + 1)) / _fall(decay) * (1 + _SLACK))


def changes_listed(relation: Relation, columns: int, min_neighbors: int, decay: Fraction) -> int:
    """How many changes the search for a smooth bound lists (claim S3); from public facts only.

    About as many as steps where rows are replaced, half the square where they come and go.
    """
    most = relation.cap(columns, min_neighbors)
    return relation.number_up_to(last_useful_step(most, decay, relation.neighbors)) if most else 0


def few_changes(
    relation: Relation, columns: int, min_neighbors: int, decay: Fraction, *, side_by_side: int = 1
) -> bool:
    """Whether a release may search for this smooth bound, or for so many at the same time: few changes. Public."""
    listed = changes_listed(relation, columns, min_neighbors, decay)
    return listed * side_by_side <= MOST_CHANGES[relation.neighbors]


def require_few_changes(
    relation: Relation, columns: int, min_neighbors: int, decay: Fraction, instead: str, *, side_by_side: int = 1
) -> None:
    """Refuse a smooth bound whose search would take too much memory or time, before anything is charged.

    `instead` ends the sentence: what to choose if not a larger epsilon.
    """
    if not few_changes(relation, columns, min_neighbors, decay, side_by_side=side_by_side):
        raise InputError(
            f"So small an epsilon makes the smooth bound over {columns} column{'s' * (columns != 1)} a search through "
            f"{changes_listed(relation, columns, min_neighbors, decay):,} changes of the table, more than the "
            f"{MOST_CHANGES[relation.neighbors] // side_by_side:,} that it may take; ask for a larger epsilon, or "
            f"{instead}."
        )


def _fall(decay: Fraction) -> float:
    """-ln(decay), to all digits also when decay is close to 1."""
    return -log1p(-float(1 - decay)) if decay > Fraction(1, 2) else -log(decay)


def _log(number: Fraction) -> float:
    """ln, from the leading digits: the logarithms of very long numbers would cancel."""
    above, below = number.as_integer_ratio()
    cut, its_cut = (max(0, part.bit_length() - 128) for part in (above, below))
    return log(above >> cut) - log(below >> its_cut) + (cut - its_cut) * log(2)


def _searched(
    seen: Windows | Strata,
    relation: Relation,
    decay: Fraction,
    last: int,
    known: Fraction = Fraction(0),
    progress: Callable[[int], None] | None = None,
) -> "_Search":
    """The search at its end: its best is S(X), or `known` if that is more."""
    search = _Search.over(seen, relation.up_to(last), decay)
    search.tell(progress)
    search.keep(max(known, Fraction(min(seen.most, relation.least(0)))))
    blocks = 0
    while (left := search.still_open()).size:
        if blocks == (_FIRST_BLOCKS if relation.is_replacement else 1):
            search.close_late_ones()
            left = search.still_open()
        if left.size:
            search.look_at(search.block(left))
        blocks += 1
    return search


@dataclass(slots=True)
class _Search:
    """Best first over all changes. Windows grow with what is added and removed: a look at one bounds others (S2)."""

    seen: Windows | Strata
    changes: Changes
    decay: Fraction
    fall: float
    promise: NDArray[np.float64]  # ln of the most that a change can be worth; -inf once evaluated
    ceiling: NDArray[np.int64]  # what one row can turn, or the cap, whichever is less; or more
    base: NDArray[np.int64]  # the same, or less
    best: Fraction = Fraction(0)
    best_log: float = -inf
    progress: Callable[[int], None] | None = None
    done: int = 0  # looks, and the count before them

    @classmethod
    def over(cls, seen: Windows | Strata, changes: Changes, decay: Fraction) -> "_Search":
        ceiling = np.full(len(changes), seen.most)
        promise = log(seen.most) - _fall(decay) * changes.step.astype(np.float64)
        return cls(seen, changes, decay, _fall(decay), promise, ceiling, np.zeros_like(ceiling))

    def tell(self, progress: Callable[[int], None] | None) -> None:
        """Call `progress` with the number of things done, from now on: the rows are counted."""
        self.progress = progress
        self._did_one()

    def _did_one(self) -> None:
        self.done += 1
        if self.progress is not None:
            self.progress(self.done)

    def sizes(self) -> NDArray[np.int64]:
        """A^(t) for each step, or more."""
        sizes = np.minimum(self.ceiling + self.changes.own, self.seen.most)
        firsts = np.flatnonzero(np.diff(self.changes.step, prepend=-1))
        return np.asarray(np.maximum(np.maximum.reduceat(sizes, firsts), min(1, self.seen.most)))

    def _is_open(self) -> NDArray[np.bool_]:
        """For each change whether it may be worth more than the best so far."""
        return self.promise > self.best_log - _SLACK

    def still_open(self) -> NDArray[np.intp]:
        return np.flatnonzero(self._is_open())

    def close_late_ones(self) -> None:
        """Count around the rows of the open changes, as long as that closes many: a group must be large there."""
        fewer = _FEWER if self.changes.relation.is_replacement else _FEWER_OF_MANY
        while (left := self.still_open()).size > 1:
            hull = self.changes.hull(left)
            self._lower_ceilings(hull, min(self.seen.crowd_bound(hull), self.seen.most))
            if self.still_open().size > fewer * left.size:
                return

    def block(self, left: NDArray[np.intp]) -> NDArray[np.intp]:
        """The first open changes: those that lie not much further away, or have hardly more rows."""
        steps = self.changes.step[left]
        first = left[steps <= _BLOCK * (steps[0] + 1)]
        if not self.changes.relation.is_replacement:
            return np.asarray(first)
        rows = _ALIKE_ROWS * self.seen.size(self.changes.hull(first))
        alike = bisect_right(left, rows, lo=first.size, key=lambda i: self.seen.size(self.changes[int(i)]))
        return left[:alike]  # windows grow with the steps

    def look_at(self, block: NDArray[np.intp]) -> None:
        """Find which of these wins, if any: the rows that may matter for them are sorted out once (claim L5)."""
        seen, hull = self.seen, self.changes.hull(block)
        if block.size > 1:
            seen = seen.narrowed(hull, self._lowest_floor(block), looks=block.size)
        alike = seen.size(hull) <= _ALIKE_ROWS * seen.size(self.changes[int(block[0])])
        if block.size >= _MANY and (alike or not self.changes.relation.is_replacement):
            self.evaluate(seen, hull, self._lowest_floor(block))
        while (block := block[self._is_open()[block]]).size:
            wanted = self.most_telling(block)
            self.evaluate(seen, self.changes[int(wanted[-1])], self._lowest_floor(wanted))
            self.promise[wanted[-1]] = -inf

    def most_telling(self, left: NDArray[np.intp]) -> NDArray[np.intp]:
        """The change to look at next, and before it those of the open ones that the same look may close.

        It is the middle one of those of which as much is known as of the most promising one: few in one ball there
        close the nearer half of them, as many as there may be give the value of the further half.
        """
        first = int(left[self.promise[left].argmax()])
        change = self.changes[first]
        like = left[self.ceiling[left] == self.ceiling[first]]
        like = like[(self.changes.within(change) | self.changes.beyond(change))[like]]
        floors = self._floors(like)
        like = like[floors <= _ALIKE * floors[0] + 1]  # a look takes longer the lower the floor
        nearer: NDArray[np.intp] = like[: like.size // 2 + 1]
        return nearer[self.changes.within(self.changes[int(nearer[-1])])[nearer]]

    def _lowest_floor(self, some: NDArray[np.intp]) -> int:
        return int(self._floors(some).min())

    def _floors(self, some: NDArray[np.intp]) -> NDArray[np.int64]:
        """A change with no more than this in one ball does not win."""
        values = np.exp(np.minimum(self.best_log + self.fall * self.changes.step[some], 600)) * (1 - _SLACK)
        return np.asarray(np.clip(values - self.changes.own[some], 0, self.seen.most), dtype=np.int64)

    def evaluate(self, seen: Windows | Strata, change: Change, floor: int) -> None:
        """Look at a change, no closer than it takes to see that none with this floor wins within it."""
        bound = min(seen.turned(change, floor), seen.most)
        self._did_one()
        self._lower_ceilings(change, bound)
        if bound > floor:
            beyond = self.changes.beyond(change)
            self.base[beyond] = np.maximum(self.base[beyond], bound)
        self._keep_known()

    def _keep_known(self) -> None:
        """Take the values of changes that are known, the best of them first: few others are still open then."""
        while (known := self._known()).size:
            i = int(known[self.promise[known].argmax()])
            change = self.changes[i]
            self.keep(self.decay**change.step * min(int(self.base[i]) + change.own, self.seen.most))
            self.promise[i] = -inf

    def _known(self) -> NDArray[np.intp]:
        return np.flatnonzero(self._is_open() & (self.base == self.ceiling))

    def keep(self, value: Fraction) -> None:
        """Take a value that is larger than the best so far."""
        if value > self.best:
            self.best, self.best_log = value, _log(value)

    def _lower_ceilings(self, change: Change, bound: int) -> None:
        within = self.changes.within(change)
        ceiling = np.minimum(self.ceiling[within], bound)
        sizes = np.clip(ceiling + self.changes.own[within], 1, self.seen.most)  # the best is 1 at least
        self.ceiling[within] = ceiling
        promise = np.log(sizes) - self.fall * self.changes.step[within]
        self.promise[within] = np.minimum(self.promise[within], promise)
