"""A release in words, for panels, pages and pictures. Words are rendered here from fields, and never read back."""

from eremite.names import list_names
from eremite.outliers import OutlierDefinition
from eremite.outliers.subspaces import Subspaces, listed_in_words
from eremite.privacy import Privacy, shown, times_as_likely
from eremite.release.release import Release


def definition_in_words(definition: OutlierDefinition, one: str = "row", others: str = "other row") -> str:
    """When `one` is an outlier, by how many `others` are near."""
    least, radius = definition.min_neighbors, definition.radius
    alike = f" that agree with it on {list_names(definition.within)}" if definition.within else ""
    return (
        f"a {one} with fewer than {least:,} {others}{'s' * (least != 1)}{alike} within distance {radius!r}; "
        "distances run from 0 to 1, as the public bounds scale every column"
    )


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
        return Subspaces(columns, range(1, largest + 1)).in_words
    return "sets of columns"


def drawn_sets_in_words(number: int) -> str:
    """What a search drew. The sets with the most outliers are likely, not certain, to be drawn."""
    return f"drawn as the {'set' if number == 1 else 'sets'} of columns with the most outliers"


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
