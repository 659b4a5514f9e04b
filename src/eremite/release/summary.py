"""A release in words: panels, pages, notebooks and `print` all take them from `summary`, so that they say the same.

Everything but the answer is public. What is known about its accuracy is said in `_accuracy`, and nowhere else.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from eremite.cards import Card
from eremite.charts import svg
from eremite.errors import InputError
from eremite.names import list_names, show_name
from eremite.privacy import exact, shown
from eremite.release.noise import UNKNOWN as UNKNOWN_NOISE
from eremite.release.picture import pictured
from eremite.release.release import Release
from eremite.release.words import (
    candidates_in_words,
    chance_in_words,
    close_draws_in_words,
    defined,
    ends_of,
    error_in_words,
    explained_in_words,
    group_in_words,
    groups_in_words,
    mechanism_in_words,
    neighbors_in_words,
    noise_in_words,
    outlier_in_words,
    protection_in_words,
    rows_error_in_words,
    rows_in_words,
    rows_too_in_words,
    searched_in_words,
    sets_by_point,
    sets_in_words,
    spent_in_words,
    subject_in_words,
    sure_in_words,
    warning_in_words,
)

_MOST_LINES = 20  # of a card
_MOST_PARTS = 5  # in a sentence
_STRANGE = (KeyError, TypeError, ValueError, AttributeError, InputError)  # of a value that no release of ours has

Lines = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """What a release says, what that means, what it cost, and how to read it."""

    kind: str  # as the command is called
    question: str  # a title
    answer: str
    warning: str  # what nobody may miss; mostly empty
    meaning: dict[str, str]  # facts about the question and its accuracy
    spent: str
    protects: str
    reading: str
    heads: tuple[str, ...] = ()  # of the lines
    lines: Lines = ()  # the parts of the answer, if it has parts
    parts: tuple[str, ...] = ()  # the same, each in a word or two

    @property
    def sentence(self) -> str:
        """The answer with its first parts, on one line."""
        listed = list_names(self.parts, "parts", most=_MOST_PARTS, show=str)
        return f"{self.answer}: {listed}" if self.parts else self.answer

    @property
    def short(self) -> str:
        """The answer on one line with what must not be left out: how far off it may be, or that it is likely wrong."""
        told = {"true count": self.meaning.get("true count"), "": self.meaning.get("error")}
        known = [f"{what} {said}".strip() for what, said in told.items() if said]
        sentence = f"{self.sentence}; {known[0]}" if known else self.sentence
        return f"{sentence}. {self.warning}" if self.warning else sentence

    @property
    def facts(self) -> dict[str, str]:
        """All facts in order."""
        return self.meaning | {"spent": self.spent, "protects": self.protects}


@dataclass(frozen=True, slots=True)
class _Said:
    """What one kind of release says."""

    answer: str
    meaning: dict[str, str]
    heads: tuple[str, ...] = ()
    lines: Lines = ()
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Beside:
    """What is known beside the release, if anything: how many rows there are, and the points that it is about."""

    rows: str
    point: Callable[[int], str] | None


def summary(release: Release, *, rows: str = "", point: Callable[[int], str] | None = None) -> Summary:
    """The release in words; a value of a shape that no release of ours has is shown as it is.

    Args:
        release: What to say.
        rows: How many rows the table has, in words, if that is known.
        point: Gives the values of the candidate or point at a place from 0, if they are known.
    """
    kind, question, how, reading = _KINDS.get(release.query, ("release", show_name(release.query, 28), "by", ""))
    try:
        said = _SAID[release.query](release, _Beside(rows, point))
    except _STRANGE:
        said = _Said(f"{show_name(release.query)}: {release.value!r}", _meaning(release))
    spent = f"{spent_in_words(release)}; {how}: {mechanism_in_words(release)}"
    protects = protection_in_words(release)
    if release.noise_half_width is not None:
        reading = f"{reading} {_CAPPED}"
    return Summary(
        kind=kind,
        question=question,
        answer=said.answer,
        warning=_warning(release),
        meaning=said.meaning,
        spent=spent,
        protects=protects,
        reading=reading,
        heads=said.heads,
        lines=said.lines,
        parts=said.parts,
    )


def _warning(release: Release) -> str:
    try:
        return warning_in_words(release)
    except _STRANGE:
        return ""


def release_card(release: Release) -> Card:
    """The release for notebooks and `print`: at most twenty lines of its answer, and its picture."""
    said = summary(release)
    left_out = [("...",) + ("",) * (len(said.heads) - 1)] if len(said.lines) > _MOST_LINES else []
    facts = said.facts | {"request id": show_name(release.request_id)}
    answer = f"{said.answer}. {said.warning}" if said.warning else said.answer
    return Card(answer, facts, said.heads, [*said.lines[:_MOST_LINES], *left_out], release_svg(release))


def release_svg(release: Release) -> str:
    """The picture of a release as one <svg> element; empty if its value has none."""
    try:
        shown = pictured(release)
    except _STRANGE:
        return ""
    return svg(shown.chart, shown.title)


def _meaning(release: Release) -> dict[str, str]:
    return {} if release.definition is None else {"outlier": outlier_in_words(release)}


def _accuracy(release: Release) -> dict[str, str]:
    """What is known about the accuracy of the answer, from public facts alone."""
    return _public_noise(release) | _error(release) | _chance(release) | _draws(release)


def _public_noise(release: Release) -> dict[str, str]:
    """What holds for every table; it is no part of what is expected of this one."""
    if release.noise == UNKNOWN_NOISE:
        return {}
    counts = "true counts" if isinstance(release.at_least, tuple) else "true count"
    rows = {} if release.rows is None else {"rows": rows_too_in_words(release)}
    return {counts: sure_in_words(release)} | rows | {"noise": noise_in_words(release)}


def _with_ends(release: Release, lines: Lines, heads: tuple[str, ...]) -> tuple[tuple[str, ...], Lines]:
    """The heads and lines of several counts, with what each is at least, and at most, where that is known."""
    if not isinstance(release.at_least, tuple):
        return heads, lines
    ends, _ = ends_of(release)
    lows = (*(_shown(one and one[0]) for one in ends),)
    highs = (*(_shown(one and one[1]) for one in ends),)
    if not any(highs):
        return (*heads, "at least"), tuple((*line, low) for line, low in zip(lines, lows, strict=True))
    told = zip(lines, lows, highs, strict=True)
    return (*heads, "at least", "at most"), tuple((*line, low, high) for line, low, high in told)


def _shown(number: int | None) -> str:
    return "" if number is None else f"{number:,}"


def _error(release: Release) -> dict[str, str]:
    expected = release.expected
    if release.query == "count_rows":
        return {"error": rows_error_in_words(release)}
    if expected.error is not None and expected.error_from is not None:
        return {"error": error_in_words(release), "from": expected.error_from}
    if release.reach_above is not None:  # the intervals say more
        return {}
    if release.query == "count_outliers":
        strata = ", --within as --strata," if defined(release).within else ""
        how = f"eremite forecast with the same options{strata}"
    elif release.query == "count_outliers_by":
        how = "eremite forecast count with the same --by"
    else:
        return {}
    return {"error": f"{how} tells how far off such counts are, for free"}


def _chance(release: Release) -> dict[str, str]:
    expected = release.expected
    if expected.chance is None or expected.chance_from is None:
        return {}
    said = f"{chance_in_words(release)}, if the table is like what this is judged by"
    return {"chance": said, "judged by": expected.chance_from}


def _draws(release: Release) -> dict[str, str]:
    return {"draws": close_draws_in_words(release)} if release.query == "explain_outlier" else {}


def _count(release: Release, beside: _Beside) -> _Said:
    of = f" of {beside.rows}" if beside.rows and release.neighbors == "replace" else " rows"
    alike = f", among rows that agree on {list_names(within)}" if (within := defined(release).within) else ""
    answer = f"about {release.value:,}{of} are outliers in {list_names(release.columns)}{alike}"
    return _Said(answer, _meaning(release) | _accuracy(release))


def _groups(release: Release, _: _Beside) -> _Said:
    by = groups_in_words(release)
    lines = tuple((f"about {count:,}", show_name(group_in_words(group))) for group, count in release.value.items())
    parts = tuple(f"{count} in {group}" for count, group in lines)
    outlier = {"outlier": f"{outlier_in_words(release)}; only rows of the same group are neighbors"}
    answer = f"outliers in {list_names(release.columns)}, by {by}, each count with noise"
    return _Said(answer, outlier | _accuracy(release), *_with_ends(release, lines, ("outliers", by)), parts)


def _subspaces(release: Release, _: _Beside) -> _Said:
    lines = _numbered([(list_names(names),) for names in release.value])
    return _search(release, lines, ("", "columns"), "", tuple(names for _, names in lines))


def _report(release: Release, beside: _Beside) -> _Said:
    lines = _numbered([(f"about {count:,}", list_names(names)) for names, count in release.value])
    among = f" among {beside.rows}" if beside.rows else ""
    counts = f", {'each ' * (len(lines) != 1)}with its noisy count{among}"
    parts = tuple(f"{count} in {names}" for _, count, names in lines)
    heads, lines = _with_ends(release, lines, ("", "outliers", "columns"))
    return _search(release, lines, heads, counts, parts)


def _search(release: Release, lines: Lines, heads: tuple[str, ...], counts: str, parts: tuple[str, ...]) -> _Said:
    # The sentence is about the draw: the sets with the most outliers are likely, not certain, to be drawn.
    which, order = ("set", "") if len(lines) == 1 else (f"{len(lines):,} sets", ", in the order drawn")
    answer = f"drawn as the {which} of columns with the most outliers{order}{counts}"
    meaning = {"searched": searched_in_words(release)} | _meaning(release) | _accuracy(release)
    return _Said(answer, meaning, heads, lines, parts)


def _detection(release: Release, beside: _Beside) -> _Said:
    one, _ = subject_in_words(release)
    where, places = list_names(release.columns), release.value
    # The sentence is about the draw: it does not say whether one is an outlier, or how many rows are near.
    if len(places) == 1:
        answer = f"drawn as the {one} with the fewest rows near it in {where}"
    else:
        answer = f"drawn as the {len(places):,} {one}s with the fewest rows near them in {where}, in the order drawn"
    about = (lambda place: f"position {place:,}, from 0") if beside.point is None else beside.point
    lines = [(f"{one} {place + 1:,}", *([about(place)] if one == "candidate" else [])) for place in places]
    meaning = {"candidates": candidates_in_words(release)} | _meaning(release) | _accuracy(release)
    parts = tuple(f"{one} {place + 1:,}" for place in places)
    return _Said(answer, meaning, ("",) * (1 + len(lines[0])), _numbered(lines), parts)


def _explanation(release: Release, beside: _Beside) -> _Said:
    named = sets_by_point(release)
    # The sentence is about the draw: it does not say whether a point is an outlier, or how many rows are near.
    order = "" if len(named[0]) == 1 else ", in the order drawn"
    answer = f"{explained_in_words(len(named), len(named[0]))}{order}"
    meaning = {"searched": searched_in_words(release), "alone": outlier_in_words(release)} | _accuracy(release)
    parts = tuple(map(list_names, named[0]))
    if len(named) > 1:
        parts = tuple(f"{sets_in_words(sets)} for point {number:,}" for number, sets in enumerate(named, 1))
    if beside.point is not None:
        lines = [(sets_in_words(sets), beside.point(place)) for place, sets in enumerate(named)]
        return _Said(answer, meaning, ("", "columns", "values"), _numbered(lines), parts)
    if named == [release.value]:
        return _Said(answer, meaning, ("", "columns"), _numbered([(names,) for names in parts]), parts)
    return _Said(answer, meaning, ("point, from 1", "columns"), _numbered([(sets_in_words(sets),) for sets in named]))


def _radius(release: Release, _: _Beside) -> _Said:
    share = shown(exact(dict(release.parameters)["share"], "share"))
    where = list_names(release.columns)
    outlier = {"outlier": f"a row with fewer than {neighbors_in_words(defined(release))} within the radius"}
    answer = f"radius {release.value!r}, drawn as the one with a share of {share} outliers in {where}"
    return _Said(answer, outlier | _accuracy(release))


def _rows(release: Release, _: _Beside) -> _Said:
    return _Said(rows_in_words(release), _accuracy(release))


def _screen(release: Release, _: _Beside) -> _Said:
    said: Any = release.value
    where = list_names(release.columns)
    return _Said(f"{sum(said):,} of {len(said):,} candidates said to be outliers in {where}", _meaning(release))


def _numbered(lines: Sequence[tuple[str, ...]]) -> Lines:
    return tuple((f"{number:,}.", *line) for number, line in enumerate(lines, 1))


_DRAWN = (
    "Sets with more outliers are likelier to be drawn; the others have a chance too, which is what protects the rows."
)
_CAPPED = "Outliers that crowd in one place are not all counted: the true number may be larger than noise explains."
_SAID: dict[str, Callable[[Release, _Beside], _Said]] = {
    "count_outliers": _count,
    "count_outliers_by": _groups,
    "top_subspaces": _subspaces,
    "outlier_report": _report,
    "detect_outliers": _detection,
    "explain_outlier": _explanation,
    "choose_radius": _radius,
    "count_rows": _rows,
    "open_screen": _screen,
}
#: For each query the name of its command, its title, what its mechanism is for, and how to read its answer.
_KINDS = {
    "count_outliers": (
        "count",
        "How many outliers?",
        "noise",
        "The true number with noise added. Noise may turn a small count into 0, which then means: not clearly more "
        "than none. Where the size of the noise depends on the rows, it stays with the custodian.",
    ),
    "count_outliers_by": (
        "count",
        "How many outliers, group by group?",
        "noise",
        "Each number has noise of its own. Noise may turn a small count into 0, and a difference between two groups "
        "may be noise alone.",
    ),
    "top_subspaces": (
        "subspaces",
        "In which columns do outliers gather?",
        "draws",
        f"{_DRAWN} The answer does not say how many outliers there are: the question did not ask.",
    ),
    "outlier_report": (
        "report",
        "In which columns do outliers gather, and how many?",
        "draws",
        f"{_DRAWN} Each count has noise: one that is close to 0 may be noise alone.",
    ),
    "detect_outliers": (
        "detect",
        "Which of these stand alone?",
        "draws",
        "Candidates with fewer rows near are likelier to be drawn. The answer does not say how many rows are near, nor "
        "whether a candidate is an outlier.",
    ),
    "explain_outlier": (
        "explain",
        "In which columns does a point stand alone?",
        "draws",
        "Sets with fewer rows near the point are likelier to be drawn, and of sets that are alike the smaller one is. "
        "The answer does not say how many rows are near.",
    ),
    "choose_radius": (
        "radius",
        "Which radius?",
        "draws",
        "Radii whose share of outliers comes close to the wanted one are likelier to be drawn. It is one of a public "
        "list.",
    ),
    "count_rows": (
        "rows",
        "How many rows?",
        "noise",
        "The true number with noise added. How far off it may be is public.",
    ),
    "open_screen": (
        "screen",
        "Would these be outliers?",
        "noise",
        "Each answer compares the number of rows near with a limit, both with noise; close to the limit it may be "
        "either.",
    ),
}
