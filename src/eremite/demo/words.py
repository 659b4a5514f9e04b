"""Words that several answers need."""

from collections.abc import Sequence
from math import ceil, exp

from eremite.outliers import OutlierDefinition
from eremite.release import Release


def listed(names: Sequence[str]) -> str:
    """a, b and c."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def outlier(definition: OutlierDefinition) -> str:
    """When a row is an outlier."""
    return f"a row with fewer than {definition.min_neighbors} other rows within distance {definition.radius:g}"


def protected(release: Release) -> str:
    """The guarantee, with e^epsilon rounded up."""
    times = ceil(exp(float(release.epsilon)) * (1 + 1e-12) * 100) / 100
    plus = " (and a chance of delta beside)" if release.delta else ""
    return f"with {release.neighbours}, any outcome would be at most {times:,.2f} times as likely{plus}"
