"""Counts of bounded reach: how far one row moves them, and the noise that they get, from public facts alone.

theory     here
D          reach, how many rows one place may change the count by
D'         above, the reach of the upper value, where both sides are drawn
g          fineness, the grid that a capped count lies on
Delta      sensitivity, of the capped counts that are released together (claims P5, P6 and B2)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, nextafter
from typing import ClassVar

from eremite.errors import InputError
from eremite.mechanisms import (
    Bounds,
    BoundsAndRows,
    ReachGaussian,
    ReachLaplace,
    ReachNoise,
    ReachPair,
    ReachWithRows,
)
from eremite.mechanisms.margins import USUAL_SHARE
from eremite.outliers import OutlierDefinition
from eremite.privacy import Neighbors, Privacy, exact
from eremite.reach import MOST_COLUMNS, MOST_COLUMNS_ABOVE, capped_count, capped_pair, capped_pair_and_rows
from eremite.release import Value
from eremite.release.noise import MOST_REACH
from eremite.tiles import AnyPart

#: Mechanisms for a count of bounded reach: from below, and from below and above at once.
NAMES = ("reach", "reach-gaussian")
PAIR = "reach-pair"
LEAST_CONFIDENCE, MOST_CONFIDENCE = Fraction(1, 2), Fraction(999, 1000)

_FINENESS = 64
_SLACK = Fraction(2, _FINENESS)  # how far the values of two runs of the solver differ, all that are released together


@dataclass(frozen=True, slots=True)
class Capped:
    """A count of bounded reach, with noise of a public scale."""

    reach: int
    noise: ReachNoise

    @property
    def mechanism(self) -> str:
        """The name of the mechanism."""
        return "reach" if isinstance(self.noise, ReachLaplace) else "reach-gaussian"

    @property
    def scale(self) -> float:
        """The scale of the noise, rounded up. Public."""
        return rounded_up(self.noise.scale)

    @property
    def decay(self) -> None:
        """None: one row moves the capped count by the same in every table."""

    def half_width(self, share: float = 0.95) -> float:
        """This share of all answers is within so many rows of the capped count. Public."""
        return self.noise.half_width(share)

    def count(self, part: AnyPart, definition: OutlierDefinition, about: int) -> int:
        """The capped count of the rows that take part, times the fineness of the noise. As private as the rows.

        `about` is how many rows the table has, or about: public.
        """
        fineness = self.noise.fineness
        return capped_count(part.points, definition, self.reach, part.starts, fineness, about=about)

    def draw(self, part: AnyPart, definition: OutlierDefinition, about: int, _: Fraction) -> tuple[int, None]:
        """The count with its noise, not clamped. Private with what the noise was made to spend."""
        return self.noise.draw(self.count(part, definition, about)), None

    def at_least(self, value: int) -> int:
        """What a released value says of the true count: 95 times in 100, whatever the rows are, it is no less."""
        return max(0, value - self.noise.margin_below())

    def bounds(self, value: int, confidence: Fraction) -> tuple[int, int | None]:
        """Between which numbers the true count lies, so often, whatever the rows are: no number from above."""
        return max(0, value - self.noise.margin_below(confidence)), None


#: What is drawn of a count from both sides: the two values, and perhaps the number of rows.
BothSides = Bounds | BoundsAndRows


@dataclass(frozen=True, slots=True)
class Between:
    """An answer whose counts were drawn from both sides, and what was drawn of each, in order; None of one that was
    drawn from below alone."""

    value: Value
    drawn: tuple[BothSides | None, ...]

    @classmethod
    def of(cls, value: Value, drawn: Sequence[BothSides | None]) -> "Value | Between":
        """The answer, alone if no count was drawn from both sides."""
        return value if all(one is None for one in drawn) else cls(value, tuple(drawn))


@dataclass(frozen=True, slots=True)
class CappedPair:
    """A count of bounded reach from below and one from above, with noise of public scales from one draw."""

    reach: int
    above: int
    noise: ReachPair
    mechanism: ClassVar[str] = PAIR

    @property
    def scale(self) -> float:
        """The scale of the noise of the lower value, rounded up. Public."""
        return rounded_up(self.noise.below / self.noise.epsilon)

    @property
    def decay(self) -> None:
        """None: one row moves both values by the same in every table."""

    def count(self, part: AnyPart, definition: OutlierDefinition, about: int) -> tuple[Fraction, Fraction]:
        """The capped counts from below and above of the rows that take part. As private as the rows."""
        reaches, fineness = (self.reach, self.above), self.noise.fineness
        return capped_pair(part.points, definition, reaches, part.starts, fineness, about=about)

    def draw(
        self, part: AnyPart, definition: OutlierDefinition, about: int, confidence: Fraction
    ) -> tuple[int, Bounds]:
        """The count with its noise, not clamped, and what was drawn. Private with what the noise was made to spend."""
        drawn = self.noise.draw(self.count(part, definition, about))
        return drawn.middle(confidence), drawn


@dataclass(frozen=True, slots=True)
class CappedPairAndRows:
    """The same of one count, and the number of rows that take part, where rows come and go."""

    noise: ReachWithRows
    mechanism: ClassVar[str] = PAIR
    decay: ClassVar[None] = None

    @property
    def reach(self) -> int:
        """The reach of the lower value."""
        return self.noise.below

    @property
    def above(self) -> int:
        """The reach of the upper value."""
        return self.noise.above

    @property
    def scale(self) -> float:
        """The scale of the noise of the lower value: of what it is made of, together, rounded up. Public."""
        noise = self.noise
        return rounded_up((noise.scale(0) + (noise.below - 1) * noise.rows_per_person) / (2 * noise.epsilon))

    def draw(
        self, part: AnyPart, definition: OutlierDefinition, about: int, confidence: Fraction
    ) -> tuple[int, BoundsAndRows]:
        """The count with its noise, not clamped, and what was drawn. Private with what the noise was made to spend."""
        reaches, fineness = self.noise.reaches, self.noise.fineness
        values, rows = capped_pair_and_rows(part.points, definition, reaches, part.starts, fineness, about=about)
        drawn = self.noise.draw(values, rows)
        return drawn.middle(confidence), drawn


#: Counts of bounded reach, with noise of a public scale.
ByReach = Capped | CappedPair | CappedPairAndRows


def for_pair(reach: int, above: int, epsilon: Fraction, neighbors: Neighbors, rows_per_person: int) -> CappedPair:
    """One count from both sides, made to spend `epsilon` on a person."""
    moved, moved_above = (sensitivity_of_count(side, neighbors, rows_per_person) for side in (reach, above))
    return CappedPair(reach, above, ReachPair(epsilon, moved, moved_above, _FINENESS))


def for_pair_and_rows(reach: int, above: int, epsilon: Fraction, rows_per_person: int) -> CappedPairAndRows:
    """One count from both sides and the number of rows, made to spend `epsilon` on a person who comes or goes."""
    return CappedPairAndRows(ReachWithRows(epsilon, reach, above, rows_per_person, _FINENESS))


def for_groups_of_pairs(
    reach: int, above: int, epsilon: Fraction, neighbors: Neighbors, rows_per_person: int, groups: int
) -> CappedPair:
    """Each of the counts of some groups from both sides, made to spend `epsilon` with all of them together."""
    moved, moved_above = sensitivities_of_pairs(reach, above, neighbors, rows_per_person)
    return CappedPair(reach, above, ReachPair(epsilon, moved, moved_above, fineness_for(groups)))


def checked_confidence(value: object) -> Fraction:
    """How often an interval shall hold the true count."""
    confidence = USUAL_SHARE if value is None else exact(value, "confidence")
    if not LEAST_CONFIDENCE <= confidence <= MOST_CONFIDENCE:
        raise InputError("confidence must be from 0.5 to 0.999: how often the interval shall hold the true count.")
    return confidence


def require_interval(confidence: object, mechanism: str, noise: object) -> None:
    """Refuse a confidence for a count whose noise is private, and tells of no interval."""
    if confidence is not None and not isinstance(noise, ByReach):
        raise InputError(
            f"confidence is for counts by reach, which have an interval, and this one gets {mechanism}: leave it out, "
            "or choose the mechanism reach."
        )


def rounded_up(number: Fraction) -> float:
    """The float next to it that is no less."""
    nearest = float(number)
    return nearest if Fraction(nearest) >= number else nextafter(nearest, inf)


def for_count(names: Sequence[str], reach: int, privacy: Privacy, neighbors: Neighbors, rows_per_person: int) -> Capped:
    """One count, made to spend `privacy` on a person, with that one of these mechanisms which has the least noise."""
    sensitivity = sensitivity_of_count(reach, neighbors, rows_per_person)
    noises: list[ReachNoise] = []
    if "reach" in names:
        noises.append(ReachLaplace(privacy.epsilon, sensitivity, _FINENESS))
    if "reach-gaussian" in names:
        noises.append(ReachGaussian(privacy.epsilon, privacy.delta, sensitivity, _FINENESS))
    return Capped(reach, min(noises, key=lambda noise: noise.half_width()))


def for_groups(reach: int, epsilon: Fraction, neighbors: Neighbors, rows_per_person: int, groups: int) -> Capped:
    """Each of the counts of some groups, made to spend `epsilon` on a person with all of them together."""
    sensitivity = sensitivity_of_groups(reach, neighbors, rows_per_person)
    return Capped(reach, ReachLaplace(epsilon, sensitivity, fineness_for(groups)))


def sensitivity_of_count(reach: int, neighbors: Neighbors, rows_per_person: int) -> Fraction:
    """By how much a person moves a capped count, between any two runs that compute it (claim P5)."""
    each = reach + 1 if neighbors == "replace" else reach
    return rows_per_person * each + _SLACK


def sensitivity_of_groups(reach: int, neighbors: Neighbors, rows_per_person: int) -> Fraction:
    """By how much a person moves the capped counts of all groups together, between any two runs (claim B2)."""
    each = 2 * reach if neighbors == "replace" else reach
    return rows_per_person * each + _SLACK


def sensitivities_of_pairs(
    reach: int, above: int, neighbors: Neighbors, rows_per_person: int
) -> tuple[Fraction, Fraction]:
    """The scales of both sides of the counts of groups: in them a person moves all groups together by 1 at most,
    between any two runs (claim B3)."""
    steps = rows_per_person * (2 if neighbors == "replace" else 1)
    slack = 1 + _SLACK / (steps * min(reach, above))
    return slack * steps * reach, slack * steps * above


def fineness_for(groups: int) -> int:
    """A grid so fine that the runs of so many solvers differ by 1/32 in all at most."""
    return _FINENESS << (groups - 1).bit_length()


def require_reach(reach: object, mechanism: str, columns: Sequence[str]) -> None:
    """Refuse a reach that is none, or that the mechanism does not have; and a mechanism of one in too many columns."""
    if reach is not None and mechanism not in ("auto", *NAMES, PAIR):
        raise InputError(
            f"reach is for the mechanisms auto, {', '.join(NAMES)} and {PAIR}: leave it out, or choose one of them."
        )
    if reach is not None and not (type(reach) is int and 1 <= reach <= MOST_REACH):
        raise InputError(f"reach must be a whole number from 1 to {MOST_REACH:,}.")
    if (reach is not None or mechanism in NAMES) and len(columns) > MOST_COLUMNS:
        raise InputError(
            f"A count of bounded reach takes up to {MOST_COLUMNS} columns, and this one has {len(columns)}: choose "
            "fewer, or another mechanism, such as smooth-laplace."
        )
    if mechanism == PAIR and len(columns) > MOST_COLUMNS_ABOVE:
        raise InputError(
            f"A count from both sides takes up to {MOST_COLUMNS_ABOVE} columns, and this one has {len(columns)}: "
            "choose fewer, or another mechanism, such as reach."
        )
