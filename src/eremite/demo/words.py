"""Sentences that the terminal and the report share."""

from eremite.outliers import OutlierDefinition
from eremite.privacy import times_as_likely
from eremite.release import Release
from eremite.release.words import protected_in_words


def outlier(definition: OutlierDefinition) -> str:
    """The definition of an outlier in words."""
    return f"a row with fewer than {definition.min_neighbors} other rows within distance {definition.radius:g}"


def protected(release: Release) -> str:
    """The guarantee of a release in words."""
    times = times_as_likely(release.epsilon)
    plus = " (and a chance of delta beside)" if release.delta else ""
    return f"with {protected_in_words(release)}, any outcome would be at most {times} times as likely{plus}"
