"""Pictures in pages: SVG without inline styles, which the pages' policy forbids; their classes are in page.css."""

import re
from collections.abc import Sequence
from fractions import Fraction
from math import ceil

from markupsafe import Markup

from eremite.charts import Chart, CountChart, ErrorsChart, GroupsChart, svg
from eremite.charts.canvas import WIDTH, bar, fitted, line, picture, text, width_of
from eremite.names import show_name
from eremite.privacy import shown

_STYLE = re.compile(r' style="[^"]*"')  # quotes in texts are escaped, so this is an attribute
_ROW, _GAP = 30, 8
_MOST_LINES = 40


def drawn(chart: Chart, title: str) -> Markup:
    """A chart for a page."""
    return without_styles(svg(chart, title))


def without_styles(element: str) -> Markup:
    """An <svg> element of ours with classes in place of styles: its root is a picture, all else has the accent."""
    root = _STYLE.sub(' class="picture"', element, count=1)
    return Markup(_STYLE.sub(' class="accent"', root))  # noqa: S704 -- made here; its texts are escaped


def interval(value: int, half_width: float) -> Markup:
    """A count with its 95 % interval on a number line."""
    said = f"95 % of such counts are off by {ceil(half_width):,} at most"
    return drawn(CountChart(value, float(ceil(half_width)), said), f"A count of {value:,}: {said}")


def errors(epsilons: Sequence[str], medians: Sequence[float], mosts: Sequence[float], wanted: float | None) -> Markup:
    """The expected errors by epsilon."""
    return drawn(ErrorsChart(tuple(epsilons), tuple(medians), tuple(mosts), wanted), "Expected error by epsilon")


def by_group(names: Sequence[str], mosts: Sequence[float], epsilon: str) -> Markup:
    """The expected error of each group."""
    chart = GroupsChart(tuple(names), tuple(ceil(most) for most in mosts))
    return drawn(chart, f"Expected error by group at epsilon {epsilon}: 95 % of the counts are off by this at most")


def chances(epsilons: Sequence[str], shares: Sequence[float]) -> Markup:
    """How likely all that is named is right, by epsilon."""
    bars = [
        (f"epsilon {epsilon}", share, f"{100 * share:.0f} %") for epsilon, share in zip(epsilons, shares, strict=True)
    ]
    return _shares(bars, "Chance that all that is named is right, by epsilon")


def budgets(parts: Sequence[tuple[str, Fraction, Fraction | None]]) -> Markup:
    """What was spent of each cap; a budget without a cap has no bar."""
    bars = []
    for name, spent, cap in parts[:_MOST_LINES]:
        share = float(min(spent / cap, Fraction(1))) if cap else 0.0
        bars.append((name, share, f"{float(spent):.4g} of {float(cap):.4g}" if cap else f"{float(spent):.4g}, no cap"))
    return _shares(bars, "Epsilon spent, and caps")


def share_of(epsilon: Fraction, remaining: Fraction) -> Markup:
    """How much of what is left a question takes."""
    if epsilon > remaining:
        share, words = 1.0, f"epsilon {shown(epsilon)} is more than is left"
    else:
        share = float(epsilon / remaining)
        words = f"epsilon {shown(epsilon)} takes {100 * share:.3g} % of what is left"
    parts = [text(4, 16, fitted(words, WIDTH - 8)), bar(4, 26, WIDTH - 8, 12, opacity=0.18)]
    return without_styles(picture(44, words, [*parts, bar(4, 26, max((WIDTH - 8) * share, 1), 12)]))


def _shares(bars: Sequence[tuple[str, float, str]], title: str) -> Markup:
    """A line for each: a name, a bar that is filled to a share, and words at its end."""
    names = [fitted(show_name(name, 60), 130) for name, _, _ in bars]
    left = max(map(width_of, names)) + _GAP + 4
    right = WIDTH - max(width_of(words, strong=True) for _, _, words in bars) - _GAP
    parts = []
    for place, (name, (_, share, words)) in enumerate(zip(names, bars, strict=True)):
        y = _ROW * (place + 0.5)
        parts += [text(4, y + 4.5, name), bar(left, y - 7, max(right - left, 1), 14, opacity=0.18)]
        parts += [bar(left, y - 7, max((right - left) * share, 1), 14)] * (share > 0)
        parts.append(text(WIDTH, y + 4.5, words, anchor="end", strong=True))
    end = _ROW * len(bars)
    return without_styles(picture(end + 2, title, [*parts, line(left, 2, left, end)]))
