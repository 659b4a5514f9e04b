"""`eremite count`: a private count, as a panel or JSON."""

from eremite.cli.asked import Question
from eremite.cli.count_panel import count_panel
from eremite.cli.purse import Purse
from eremite.cli.terminal import framed, working
from eremite.cli.told import Told


def run(question: Question, purse: Purse, as_json: bool, *, epsilon: str, delta: str, mechanism: str) -> Told:
    """Ask for a count and give its release. Epsilon and delta are texts, so that 0.2 is 1/5 and not a float near it.

    Of the rows, only the value of the release is printed.
    """
    definition, names = question.definition(), question.names()
    with working("Counting"):
        session = purse.open(question.description)
        release = session.count_outliers(
            definition, names, epsilon=epsilon, delta=delta, mechanism=mechanism, request_id=purse.request_id
        )
    return Told(release.to_json() if as_json else framed(count_panel(release, session)), release.plot)
