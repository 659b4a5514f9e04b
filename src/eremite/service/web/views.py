"""What pages say of releases and forecasts, as plain records for the templates."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from markupsafe import Markup

from eremite.errors import InputError
from eremite.names import list_names, show_name
from eremite.privacy import exact, shown
from eremite.release import Release
from eremite.release.summary import release_svg, summary
from eremite.release.words import group_in_words
from eremite.service.web import pictures
from eremite.service.web.kinds import Kind

_MOST_LINES = 200  # of an answer or a forecast; the files have all
_NOTHING_SPENT = "Nothing was spent, and no private row was looked at."


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerView:
    """A release in words and as a picture."""

    title: str
    answer: str
    warning: str
    heads: Sequence[str]
    lines: Sequence[Sequence[str]]
    left_out: int  # lines that are only in the files
    picture: Markup = field(repr=False)
    facts: Mapping[str, str]
    reading: str
    request_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ForecastView:
    """What to expect of a question, at the epsilon of its form first."""

    headline: str
    lines: Sequence[str] = ()
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    chosen: int  # the row of the form's epsilon; -1 if rows are something else
    pictures: Sequence[Markup] = field(repr=False)
    note: str


def answer_view(release: Release, rows: str = "", point: Callable[[int], str] | None = None) -> AnswerView:
    """A release for a page; `rows` and `point` as for `summary`."""
    said = summary(release, rows=rows, point=point)
    svg = release_svg(release)
    several = len(said.lines) > 1
    listed = several or point is not None
    asked = {"columns": list_names(release.columns)} if release.columns else {}
    return AnswerView(
        title=said.question,
        answer=said.answer if several else said.sentence,
        warning=said.warning,
        heads=said.heads,
        lines=said.lines[:_MOST_LINES] if listed else (),
        left_out=max(len(said.lines) - _MOST_LINES, 0),
        picture=pictures.without_styles(svg) if svg else Markup(),
        facts=asked | said.facts | {"asked": f"{release.time:%Y-%m-%d %H:%M} UTC", "request id": release.request_id},
        reading=said.reading,
        request_id=release.request_id,
    )


def parsed_release(text: str) -> Release | None:
    """The release that a ledger keeps; None if this version cannot read it."""
    try:
        return Release.from_json(text)
    except InputError:
        return None


def forecast_view(kind: Kind, answer: str) -> ForecastView:
    """A forecast for a page, from the JSON of the API."""
    fields = json.loads(answer)
    return _VIEWS[kind.path](fields)


def _count(fields: dict[str, Any]) -> ForecastView:
    errors = fields["errors"]
    epsilons, medians, mosts = _errors(errors)
    first = errors[0]
    most, median = ceil(first["most"]), ceil(first["median"])
    outliers = fields.get("outliers")
    example = outliers if outliers is not None else _round(2 * most)
    low, high = max(example - most, 0), example + most
    means = f"A count of {example:,} would stand for {low:,} to {high:,}"
    if outliers is not None:
        means = f"Those rows have {outliers:,} outliers; the answer would then lie between {low:,} and {high:,}"
    order, longest = _sorted(errors), _length(first)
    sure = "" if longest == "-" else f" The answer has an interval that holds for every table, up to {longest} long."
    return ForecastView(
        headline=f"At epsilon {epsilons[0]}, 95 % of such counts are off by {most:,} at most, and half by {median:,}.",
        lines=[f"{means}.{sure}"],
        heads=("epsilon", "half off by at most", "95 % off by at most", "interval up to", "noise"),
        rows=[
            (epsilons[i], f"{ceil(medians[i]):,}", f"{ceil(mosts[i]):,}", _length(errors[i]), errors[i]["mechanism"])
            for i in order
        ],
        chosen=order.index(0),
        pictures=[
            pictures.interval(example, most),
            pictures.errors([epsilons[i] for i in order], [medians[i] for i in order], [mosts[i] for i in order], None),
        ],
        note=_computed_on(fields),
    )


def _rows(fields: dict[str, Any]) -> ForecastView:
    errors = fields["errors"]
    epsilons, medians, mosts = _errors(errors)
    order, most = _sorted(errors), ceil(errors[0]["most"])
    return ForecastView(
        headline=f"At epsilon {epsilons[0]}, 95 % of such numbers are off by {most:,} at most.",
        heads=("epsilon", "half off by at most", "95 % off by at most"),
        rows=[(epsilons[i], f"{ceil(medians[i]):,}", f"{ceil(mosts[i]):,}") for i in order],
        chosen=order.index(0),
        pictures=[
            pictures.errors([epsilons[i] for i in order], [medians[i] for i in order], [mosts[i] for i in order], None)
        ],
        note=f"This holds for every table, whatever its rows are. {_NOTHING_SPENT}",
    )


def _groups(fields: dict[str, Any]) -> ForecastView:
    groups = fields["groups"]
    names = [group_in_words(_tuple(one["group"])) for one in groups]
    epsilon = _shown(groups[0]["errors"][0]["epsilon"])
    mosts = [one["errors"][0]["most"] for one in groups]
    order = _sorted(groups[0]["errors"])
    heads = [f"epsilon {_shown(groups[0]['errors'][i]['epsilon'])}" for i in order]
    return ForecastView(
        headline=f"At epsilon {epsilon}, 95 % of the counts of groups are off by {ceil(max(mosts)):,} at most.",
        lines=["The table says by how much 95 % of the counts are off at most, for each group and epsilon."],
        heads=("group", *heads),
        rows=[
            (show_name(name), *(f"{ceil(one['errors'][i]['most']):,}" for i in order))
            for name, one in zip(names, groups[:_MOST_LINES], strict=False)
        ],
        chosen=-1,
        pictures=[pictures.by_group(names, mosts, epsilon)],
        note=_computed_on(fields),
    )


def _searched(fields: dict[str, Any]) -> ForecastView:
    chances, h = fields["chances"], fields["h"]
    first, order = chances[0], _sorted(chances)
    epsilons = [_shown(one["epsilon"]) for one in chances]
    with_counts = "most" in first
    heads = ["epsilon", "first set right", f"all {h:,} right"] + ["95 % of counts off by at most"] * with_counts
    counts = f" Each count is off by {ceil(first['most']):,} at most, for 95 %." if with_counts else ""
    which = "the set named is the right one" if h == 1 else f"the {h:,} sets named are the right ones"
    return ForecastView(
        headline=f"At epsilon {epsilons[0]}, {which} with a chance of {_percent(first['all_found'])}.{counts}",
        lines=[f"Searched: {fields['family']}."],
        heads=heads,
        rows=[
            (
                epsilons[i],
                _percent(chances[i]["found"]),
                _percent(chances[i]["all_found"]),
                *([f"{ceil(chances[i]['most']):,}"] * with_counts if with_counts else []),
            )
            for i in order
        ],
        chosen=order.index(0),
        pictures=[pictures.chances([epsilons[i] for i in order], [chances[i]["all_found"] for i in order])],
        note=_simulated(fields),
    )


def _named(fields: dict[str, Any]) -> ForecastView:
    chances, order = fields["chances"], _sorted(fields["chances"])
    epsilons = [_shown(one["epsilon"]) for one in chances]
    return ForecastView(
        headline=f"At epsilon {epsilons[0]}, all that is named is right with a chance of "
        f"{_percent(chances[0]['all_found'])}.",
        heads=("epsilon", "all right"),
        rows=[(epsilons[i], _percent(chances[i]["all_found"])) for i in order],
        chosen=order.index(0),
        pictures=[pictures.chances([epsilons[i] for i in order], [chances[i]["all_found"] for i in order])],
        note=_simulated(fields),
    )


def _radius(fields: dict[str, Any]) -> ForecastView:
    radius, rows, outliers = fields["definition"]["radius"], fields["rows"], fields["outliers"]
    return ForecastView(
        headline=f"With radius {radius!r}, {outliers:,} of {rows:,} such rows are outliers.",
        lines=["No other radius of the list comes nearer to the share on those rows. It may do without the question."],
        heads=("radius", "rows", "outliers"),
        rows=[(repr(radius), f"{rows:,}", f"{outliers:,}")],
        chosen=0,
        pictures=[],
        note=f"Computed on {fields['stand_in']}. A private table that is not like this has another radius. "
        f"{_NOTHING_SPENT}",
    )


_VIEWS: Mapping[str, Callable[[dict[str, Any]], ForecastView]] = {
    "count": _count,
    "count-by": _groups,
    "subspaces": _searched,
    "report": _searched,
    "detect": _named,
    "explain": _named,
    "radius": _radius,
    "rows": _rows,
}


def _errors(errors: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[float], list[float]]:
    return (
        [_shown(one["epsilon"]) for one in errors],
        [one["median"] for one in errors],
        [one["most"] for one in errors],
    )


def _length(error: Mapping[str, Any]) -> str:
    """How long 95 % of the intervals are at most, if there are any."""
    return "-" if error.get("length") is None else f"{ceil(error['length']):,}"


def _sorted(lines: Sequence[Mapping[str, Any]]) -> list[int]:
    """The places of lines, by epsilon."""
    return sorted(range(len(lines)), key=lambda place: exact(lines[place]["epsilon"], "epsilon"))


def _shown(epsilon: object) -> str:
    return shown(exact(epsilon, "epsilon"))


def _percent(chance: float) -> str:
    """A chance that was simulated is neither 0 nor 1."""
    if chance < 0.01:
        return "less than 1 %"
    return "more than 99 %" if chance > 0.99 else f"about {100 * chance:.0f} %"


def _round(number: int) -> int:
    """A number with one digit that is not 0, at least 10."""
    power: int = 10 ** (len(str(max(number, 10))) - 1)
    return ceil(max(number, 10) / power) * power


def _tuple(group: Any) -> Any:
    return tuple(group) if isinstance(group, list) else group


def _computed_on(fields: Mapping[str, Any]) -> str:
    return (
        f"Computed on {fields['stand_in']}. A private table that is not like this has another error. {_NOTHING_SPENT}"
    )


def _simulated(fields: Mapping[str, Any]) -> str:
    off = f"{100 * fields['sampling_error']:.0f} percentage points"
    return (
        f"Simulated on {fields['stand_in']}: a chance may be off by {off}. A private table that is not like this has "
        f"other chances. {_NOTHING_SPENT}"
    )
