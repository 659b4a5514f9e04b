"""One frozen record for each kind of picture; an `InputError` for values that no picture shows."""

from collections.abc import Sequence
from dataclasses import dataclass

from eremite.errors import InputError

#: Counts, and numbers of candidates, are at most this; up to it they are exact floats.
LARGEST = 10**15
#: How many sets, columns in them, candidates and groups fit; the first ones are shown.
MOST_SETS = 40
MOST_COLUMNS = 60
MOST_CANDIDATES = 40
MOST_GROUPS = 60
_MOST_RADII = 1_000
_MOST_ANSWERS = 10_000
_MOST_ASKED = 10**12
_LARGEST_RADIUS, _SMALLEST_RADIUS = 1e150, 1e-140

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CountChart:
    """A count on a number line from 0 and, if it is known, how far off it may be, with what is said about that.

    Where both `ends` are guaranteed, these are shown.
    """

    value: int
    half_width: float | None = None
    said: str = ""
    ends: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        _require_counts([self.value], "A picture of a count needs a whole number")

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval around the count; none if it is not known how far off it may be."""
        if self.ends is not None:
            return self.ends
        return None if self.half_width is None else (max(self.value - self.half_width, 0), self.value + self.half_width)


#: Of each count the two ends between which the true one lies, or None for one of which no such ends are known.
Ends = tuple[tuple[int, int] | None, ...]


@dataclass(frozen=True, slots=True)
class GroupsChart:
    """Counts by group as bars, in the declared order, with the ends that are guaranteed for them, if there are any."""

    names: Names
    counts: tuple[int, ...]
    ends: Ends = ()

    def __post_init__(self) -> None:
        if not self.names:
            raise InputError("A picture of counts by group needs at least one group.")
        _require_counts(self.counts, "A picture of counts by group needs whole numbers")


@dataclass(frozen=True, slots=True)
class SetsChart:
    """Sets of columns in the order drawn, by point if several were explained, with a count for each if it has one.

    Of counts the guaranteed ends are shown too, if there are any.
    """

    by_point: tuple[tuple[Names, ...], ...]
    columns: Names  # those that were searched
    counts: tuple[int, ...] | None = None
    ends: Ends = ()

    def __post_init__(self) -> None:
        if not self.by_point or not all(map(are_sets, self.by_point)):
            raise InputError("A picture of subspaces needs a release whose value is sets of column names.")
        if self.counts is not None:
            _require_counts(self.counts, "A picture of a report needs counts that are whole numbers")
        if len(self.known) > MOST_COLUMNS:
            raise InputError(
                f"The sets name {len(self.known):,} different columns, a picture has room for {MOST_COLUMNS}; "
                "read the value."
            )

    @property
    def shown_points(self) -> tuple[tuple[Names, ...], ...]:
        """The points for which there is room; at least one."""
        return self.by_point[: max(1, MOST_SETS // max(map(len, self.by_point)))]

    @property
    def sets(self) -> list[Names]:
        """The sets for which there is room, point after point."""
        return [names for sets in self.shown_points for names in sets][:MOST_SETS]

    @property
    def known(self) -> list[str]:
        """The columns that occur in some set, in the order of the table."""
        named = [name for names in self.sets for name in names]
        return [name for name in dict.fromkeys((*self.columns, *named)) if name in set(named)]


@dataclass(frozen=True, slots=True)
class CandidatesChart:
    """The places of candidates, from 0, in the order drawn, and among how many they were, if that is known."""

    places: tuple[int, ...]
    number: int | None

    def __post_init__(self) -> None:
        if not self.places:
            raise InputError("A picture of a detection needs a release whose value is places of candidates.")
        if not all(type(place) is int and 0 <= place < LARGEST for place in self.places):
            raise InputError(f"A picture of a detection needs places that are whole numbers from 0 to {LARGEST:,}.")


@dataclass(frozen=True, slots=True)
class RadiiChart:
    """The radius that was drawn, within the public list it was drawn from."""

    radius: float
    listed: tuple[float, ...]

    @classmethod
    def of(cls, radius: float, listed: object) -> "RadiiChart":
        """The radius and its list, whose numbers may be texts."""
        sentence = f"A picture of a radius needs a release with the list of up to {_MOST_RADII:,} radii it was from."
        if not isinstance(listed, tuple) or not 0 < len(listed) <= _MOST_RADII:
            raise InputError(sentence)
        try:
            numbers = tuple(float(text) for text in listed)
        except (TypeError, ValueError):
            raise InputError(sentence) from None
        if not all(_SMALLEST_RADIUS <= number <= _LARGEST_RADIUS for number in (radius, *numbers)):
            raise InputError(sentence)
        return cls(radius, numbers)


@dataclass(frozen=True, slots=True)
class AnswersChart:
    """The answers of a screen in the order asked; `before` candidates were asked about earlier."""

    said: tuple[bool, ...]
    before: int

    def __post_init__(self) -> None:
        said = self.said
        if not 0 < len(said) <= _MOST_ANSWERS or not all(type(answer) is bool for answer in said):
            raise InputError(f"A picture of a screen needs a release whose value is 1 to {_MOST_ANSWERS:,} answers.")
        if type(self.before) is not int or not 0 <= self.before <= _MOST_ASKED:
            raise InputError("A picture of a screen needs a release that says how many were asked before.")


@dataclass(frozen=True, slots=True)
class ErrorsChart:
    """The expected error of a count by epsilon: half are off by `medians`, 95 % by `mosts`; `wanted` is a limit."""

    epsilons: Names
    medians: tuple[float, ...]
    mosts: tuple[float, ...]
    wanted: float | None = None


@dataclass(frozen=True, slots=True)
class SpendingChart:
    """What each question spent, in order; with a `cap`, one after the other under it, as charges that add up are."""

    names: Names
    epsilons: tuple[float, ...]
    cap: float | None = None


Chart = (
    CountChart
    | GroupsChart
    | SetsChart
    | CandidatesChart
    | RadiiChart
    | AnswersChart
    | ErrorsChart
    | SpendingChart
)  # fmt: skip


def are_sets(value: object) -> bool:
    """Whether it is a tuple of sets of column names, and has one at least."""
    return isinstance(value, tuple) and bool(value) and all(map(_is_names, value))


def _is_names(value: object) -> bool:
    return isinstance(value, tuple) and bool(value) and all(isinstance(name, str) for name in value)


def _require_counts(counts: Sequence[object], sentence: str) -> None:
    if not all(type(count) is int and 0 <= count <= LARGEST for count in counts):
        raise InputError(f"{sentence} from 0 to {LARGEST:,}.")
