"""A release in words, for panels, pages and pictures. Words are rendered here from fields, and never read back."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import zip_longest
from math import ceil, floor, log
from typing import Any, cast

from eremite.errors import InputError
from eremite.names import list_names
from eremite.outliers import OutlierDefinition
from eremite.outliers.subspaces import Subspaces, listed_in_words
from eremite.privacy import Privacy, shown, times_as_likely
from eremite.release.noise import Each
from eremite.release.release import Release

_EVEN = 0.5  # a chance below it gets a warning
_LARGEST = 10**15  # no release of ours has larger numbers; texts stay short


def definition_in_words(definition: OutlierDefinition, one: str = "row", others: str = "other row") -> str:
    """When `one` is an outlier, by how many `others` are near."""
    return (
        f"a {one} with fewer than {neighbors_in_words(definition, others)} within distance {definition.radius!r}; "
        "distances run from 0 to 1, as the public bounds scale every column"
    )


def neighbors_in_words(definition: OutlierDefinition, others: str = "other row") -> str:
    """How many `others` an ordinary row has near it at least, and on what they agree with it."""
    least = definition.min_neighbors
    alike = f" that agree with it on {list_names(definition.within)}" if definition.within else ""
    return f"{least:,} {others}{'s' * (least != 1)}{alike}"


def defined(release: Release) -> OutlierDefinition:
    """What the release calls an outlier; an error if its question is not about outliers."""
    if release.definition is None:
        raise InputError("This release has no definition of an outlier.")
    return release.definition


def outlier_in_words(release: Release) -> str:
    """When a row, a candidate or a point of the release is an outlier."""
    return definition_in_words(defined(release), *subject_in_words(release))


def rows_in_words(release: Release) -> str:
    """What a release of a number of rows says."""
    part = f" take part in questions about {list_names(release.columns)}" if release.columns else " are in the table"
    return f"about {release.value:,} rows{part}"


def most_rows_off(release: Release) -> int:
    """By how much 95 % of all answers to this question about a number of rows are off at most. Public.

    ln(20) / epsilon of a row, rounded up: claim Q2 of `rows.proof.md`.
    """
    return min(ceil(Fraction(log(20)) * release.rows_per_person / release.epsilon), _LARGEST)


def rows_error_in_words(release: Release) -> str:
    """How far off a number of rows may be."""
    return f"95 % of such answers are off by {most_rows_off(release):,} at most"


def error_in_words(release: Release) -> str:
    """How far off counts may be; of a single one, between which numbers it then lies; of several, which may be 0."""
    most = release.expected.error or 0
    if type(release.value) is not int:
        none = ", so where a count is no larger than that there may be none" if min(_counts(release)) <= most else ""
        return f"95 % of such counts are off by {most:,} at most{none}"
    low, high = max(0, release.value - most), release.value + most
    none = ", so there may be none or that many" if low == 0 else ""
    return f"95 % of such counts are off by {most:,} at most: between {low:,} and {high:,}{none}"


def sure_in_words(release: Release, beside: str = "the numbers beside it") -> str:
    """What is guaranteed about the true count, or about each of several, where the noise has a public scale.

    `beside` is where the ends of each of several are shown.
    """
    ends, often = ends_of(release)
    said = f"{often} times in 100, whatever the rows are"
    if type(release.value) is not int:
        upper = [one[1] is not None for one in ends if one is not None]
        if not any(upper):
            return f"each at least the number beside it, {said}"
        return f"each between {beside}, {said}{'' if all(upper) else '; where there is one alone, at least that'}"
    [one] = ends
    low, high = one or (0, None)
    return f"at least {low:,}, {said}" if high is None else f"between {low:,} and {high:,}, {said}"


def rows_too_in_words(release: Release) -> str:
    """How many rows take part, where that was asked for with a count."""
    rows, within, often = cast("tuple[int, int, float]", (release.rows, release.rows_within, release.confidence))
    return f"about {rows:,} take part; {_in_hundred(often)} times in 100, the true number is within {within:,} of that"


def ends_of(release: Release) -> tuple[tuple[tuple[int, int | None] | None, ...], str]:
    """Between which numbers each true count lies, None of one of which nothing is known; and how many times in 100.

    As often as was asked for, 95 times if nobody did. There may be no number from above.
    """
    one = type(release.value) is int
    if release.interval is None:  # of a release from before there were any
        least = cast("tuple[int | None, ...]", (release.at_least,) if one else release.at_least)
        return tuple(None if number is None else (number, None) for number in least), "95"
    ends, often = (release.interval, release.confidence) if not one else ((release.interval,), (release.confidence,))
    shares = [share for share in cast("tuple[float | None, ...]", often) if share is not None]
    return cast("tuple[tuple[int, int | None] | None, ...]", ends), _in_hundred(min(shares))


def _in_hundred(confidence: float) -> str:
    return f"{100 * confidence:.4g}"


def noise_in_words(release: Release) -> str:
    """The exact figures of noise with a public scale, and what they leave open."""
    reaches, above = _several(release.reach), _several(release.reach_above)
    below_alone = [one for one, other in zip_longest(reaches, above) if other is None]
    from_both = [one for one, other in zip_longest(reaches, above) if other is not None]
    said = []
    if release.reach_above is not None:
        said.append(
            f"one draw{' each' * isinstance(release.reach, tuple)} for a count from below, which one place changes by "
            f"at most {_each_in_words(from_both)}, and for one from above, which it changes by at most "
            f"{_each_in_words(above)}"
        )
    if release.noise_half_width is not None:
        said.append(
            f"95 % of all such answers are within {_each_in_words(_several(release.noise_half_width))} of the capped "
            f"count, which one place changes by at most {_each_in_words(below_alone)}; how many crowded rows were not "
            "counted is private: the forecast says what to expect"
        )
    return "; elsewhere ".join(said)


def _several(figure: Each[int]) -> list[int | None]:
    """The figure of each count."""
    return [] if figure is None else list(figure) if isinstance(figure, tuple) else [figure]


def _each_in_words(figures: Sequence[int | None]) -> str:
    """From the least to the largest."""
    known = [one for one in figures if one is not None]
    least, most = min(known), max(known)
    return f"{most:,}" if least == most else f"{least:,} to {most:,}"


def _counts(release: Release) -> list[int]:
    """The counts of groups, or of the sets of a report."""
    value: Any = release.value
    return list(value.values()) if release.query == "count_outliers_by" else [count for _, count in value]


def chance_in_words(release: Release) -> str:
    """How likely what was drawn is right."""
    chance = release.expected.chance or 0
    which = "is right" if _drawn_number(release) == 1 else "are all right"
    return f"{_named(release)} {which} with a chance of {_percent(chance)}"


def warning_in_words(release: Release) -> str:
    """A sentence where what was drawn is more likely wrong than right; empty elsewhere."""
    chance = release.expected.chance
    if chance is None or chance >= _EVEN:
        return ""
    which, right = ("is", "that it is right") if _drawn_number(release) == 1 else ("are", "that all of them are right")
    return (
        f"At this epsilon {_named(release)} {which} more likely wrong than right: the chance {right} is "
        f"{_percent(chance)}."
    )


def _percent(chance: float) -> str:
    """A chance that was simulated is neither 0 nor 1; one below a half is below 50 %."""
    if chance < 0.01:
        return "less than 1 %"
    return "more than 99 %" if chance > 0.99 else f"about {floor(100 * chance + 1e-9)} %"


def _named(release: Release) -> str:
    several = "s" * (_drawn_number(release) != 1)
    if release.query == "detect_outliers":
        return f"the {subject_in_words(release)[0]}{several} named"
    return f"the set{several} of columns named"


def _drawn_number(release: Release) -> int:
    """How many things were drawn."""
    value: Any = release.value
    if release.query == "explain_outlier":
        return sum(map(len, sets_by_point(release)))
    return len(value) if isinstance(value, tuple) else 1


def spent_in_words(release: Release) -> str:
    """Epsilon and delta; "pure" where there is no delta."""
    return f"{Privacy(release.epsilon, release.delta)}{'' if release.delta else ', pure'}"


def protected_in_words(release: Release) -> str:
    """Whom the release protects."""
    return "every row" if release.rows_per_person == 1 else f"every person, with up to {release.rows_per_person:,} rows"


def protection_in_words(release: Release) -> str:
    """Whom the release protects, and how well."""
    one = "row" if release.rows_per_person == 1 else "person"
    plus = f", plus {shown(release.delta)}" if release.delta else ""
    differing = "replaced" if release.neighbors == "replace" else "more or less"
    return (
        f"{protected_in_words(release)}: with any one {one} {differing}, any outcome would be at most "
        f"{times_as_likely(release.epsilon)} times as likely{plus}"
    )


def mechanism_in_words(release: Release) -> str:
    """How the answer was drawn; with the utility, if candidates were scored by one."""
    utility = dict(release.parameters).get("utility")
    drawn = release.mechanism if utility is None else f"{utility}, {release.mechanism}"
    return f"{drawn}; counts: auto" if release.query == "outlier_report" else drawn


def subject_in_words(release: Release) -> tuple[str, str]:
    """What a release calls an outlier, and what must be near it: a row and other rows, or a candidate and rows."""
    among_rows = release.query == "detect_outliers" and dict(release.parameters).get("candidates") is None
    of_points = release.query in ("detect_outliers", "open_screen") and not among_rows
    if release.query == "explain_outlier":
        return "point", "row"
    return ("candidate", "row") if of_points else ("row", "other row")


def searched_in_words(release: Release) -> str:
    """Among which sets of columns a search was made."""
    told, columns = dict(release.parameters), release.columns
    listed, size, largest = (told.get(name) for name in ("listed", "size", "max_size"))
    if type(listed) is int:
        return listed_in_words(listed)
    if type(size) is int and 1 <= size <= len(columns):
        return Subspaces(columns, range(size, size + 1)).in_words
    if type(largest) is int and 1 <= largest <= len(columns):
        return _family(release, largest).in_words
    return "sets of columns"


def _family(release: Release, largest: int) -> Subspaces:
    """All sets of up to `largest` columns."""
    return Subspaces(release.columns, range(1, largest + 1))


def groups_in_words(release: Release) -> str:
    """By which columns rows were grouped."""
    by = dict(release.parameters).get("by")
    return list_names([str(name) for name in by]) if isinstance(by, tuple) and by else "groups"


def group_in_words(group: object) -> str:
    """A group by its value, or by its values; true and false as they are declared."""
    values = group if isinstance(group, tuple) else (group,)
    return ", ".join(str(value).lower() if isinstance(value, bool) else str(value) for value in values)


def drawn_sets_in_words(number: int) -> str:
    """What a search drew. The sets with the most outliers are likely, not certain, to be drawn."""
    return f"drawn as the {'set' if number == 1 else 'sets'} of columns with the most outliers"


def sets_by_point(release: Release) -> list[tuple[tuple[str, ...], ...]]:
    """The sets of columns of each point that was explained, also where it was a single one."""
    value: Any = release.value
    if _are_sets(value):
        return [value]
    if isinstance(value, tuple) and value and all(map(_are_sets, value)):
        return list(value)
    raise InputError("An explanation needs a release whose value is sets of column names, for each point.")


def _are_sets(value: object) -> bool:
    """Whether it is a tuple of sets of column names."""
    return isinstance(value, tuple) and bool(value) and all(map(_is_names, value))


def _is_names(value: object) -> bool:
    """Whether it is a set of column names: a tuple of texts."""
    return isinstance(value, tuple) and bool(value) and all(isinstance(name, str) for name in value)


def explained_in_words(points: int, sets: int) -> str:
    """What was drawn for points. The sets with the fewest rows near are likely, not certain, to be drawn."""
    which = "the set of columns" if sets == 1 else f"the {sets:,} sets of columns"
    return f"drawn as {which} in which {'the' if points == 1 else 'each'} point stands most alone"


def sets_in_words(sets: Iterable[tuple[str, ...]]) -> str:
    """Sets of columns in a line: "bmi and glucose; pulse"."""
    return "; ".join(map(list_names, sets))


def close_draws_in_words(release: Release) -> str:
    """How close a draw of an explanation comes to the best set, by public facts (claim X3 of `explain.proof.md`)."""
    told = dict(release.parameters)
    h, points, largest, penalty = (told.get(name) for name in ("h", "points", "max_size", "penalty"))
    whole = [number for number in (h, points, largest, penalty) if type(number) is int and 0 < number < _LARGEST]
    if len(whole) < 4 or whole[2] > len(release.columns) or _family(release, whole[2]).exceeds(_LARGEST):
        return "sets with few rows near the point, and of these the small ones, are likely to be drawn"
    rate = release.epsilon / release.rows_per_person / (whole[0] * whole[1])
    rate /= 1 if str(release.neighbors) == "add-remove" else 2
    off = min(ceil(Fraction(log(20 * _family(release, whole[2]).count)) / rate), _LARGEST)
    return (
        f"in 19 of 20, at most {off:,} more rows near than in the best set; one more column counts as {whole[3]:,} "
        f"rows, and fewer than {defined(release).min_neighbors:,} rows count alike"
    )


def candidates_in_words(release: Release) -> str:
    """What was ranked; for the rows themselves, also how little a draw among them can tell."""
    told = dict(release.parameters)
    number, h = told.get("candidates"), told.get("h")
    if type(number) is int:
        return f"{number:,} public point{'s' * (number != 1)}"
    if type(h) is not int or h < 1:
        return "the rows of the table, by number"
    times = times_as_likely(release.epsilon / release.rows_per_person / h / 2)
    return (
        f"the rows of the table, by number: in each draw the loneliest is at most {times} times as likely "
        "as any other, so this is close to a random pick unless that factor is large"
    )
