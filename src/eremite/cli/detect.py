"""`eremite detect`: which candidates have few rows near them, as a panel or JSON."""

from pathlib import Path

from eremite.cli.asked import Question
from eremite.cli.candidates import chosen_columns, read_candidates
from eremite.cli.detect_panel import detect_panel
from eremite.cli.purse import Purse
from eremite.cli.terminal import framed, working
from eremite.cli.told import Told
from eremite.errors import InputError
from eremite.table import read_description


def run(
    question: Question, candidates: Path | None, rows: bool, purse: Purse, as_json: bool, *, top: int, epsilon: str
) -> Told:
    """Rank the candidates, or the rows of the table itself, and give the release."""
    if rows == (candidates is not None):
        raise InputError("Give a file of candidates, or --rows for the rows of the table itself, and not both.")
    definition = question.definition()
    names = chosen_columns(read_description(question.description), question.columns)
    points = None if candidates is None else read_candidates(candidates, names)
    with working("Searching"):
        session = purse.open(question.description)
        release = session.detect_outliers(
            definition, candidates=points, h=top, columns=names, epsilon=epsilon, request_id=purse.request_id
        )
    return Told(release.to_json() if as_json else framed(detect_panel(release, session, points)), release.plot)
