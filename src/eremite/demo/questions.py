"""The questions of the tour, in order. Their answers come from the session alone."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil

from eremite.demo.exact import Exact
from eremite.demo.files import CANDIDATES, SUSPECT, Files
from eremite.demo.patients import COLUMNS, EXTREME, ODD_PAIR, ODD_TRIPLE, ODD_WARD, Kind
from eremite.demo.progress import bar
from eremite.demo.shell import NEXT
from eremite.demo.steps import Step
from eremite.errors import BudgetRefused
from eremite.ledger import Ledger
from eremite.names import list_names
from eremite.outliers import OutlierDefinition
from eremite.privacy import shown
from eremite.release import Release
from eremite.release.summary import summary
from eremite.release.words import mechanism_in_words, protection_in_words, sets_by_point
from eremite.session import Session

BUDGET = "6.8"
DEFINITION = OutlierDefinition(min_neighbors=5, radius=0.02)
WARD_DEFINITION = replace(DEFINITION, within=ODD_WARD.within)
COUNT, PAIRS, TRIPLES, WARD, DETECT, EXPLAIN, REFUSED = map(Fraction, ("1", "1.5", "2.5", "1", "0.3", "0.3", "0.5"))
_WITHIN = 20
_REQUEST_ID = "glucose-1"


@dataclass(frozen=True, slots=True)
class Tour:
    """The questions of the demo. The session answers them; `exact` has the true numbers of the made-up rows."""

    files: Files
    session: Session
    ledger: Ledger
    exact: Exact

    def steps(self) -> Iterator[Step]:
        """The steps of the tour, each computed when it is requested."""
        yield self._forecast()
        yield self._how_many()
        yield self._where_pairs()
        yield self._where_triples()
        yield self._within_wards()
        yield self._which()
        yield self._why()
        yield self._refused()
        yield self._again()
        yield self._left()

    def _forecast(self) -> Step:
        columns = EXTREME.columns
        with bar("Forecasting; the first run also compiles, half a minute"):
            forecast = self.session.forecast_count(DEFINITION, columns, epsilon=[0.1, 0.2, 0.5, COUNT, 2])
            needed = self.session.epsilon_for_count(DEFINITION, columns, within=_WITHIN)
        errors = {
            f"epsilon {shown(error.epsilon)}": f"95 % within {ceil(error.most):,} rows" for error in forecast.errors
        }
        return Step(
            title="What would an answer be worth?",
            why="Before spending anything: how far off would a private count of the glucose outliers be? A forecast "
            "uses the public sample alone, so it is free, and anyone may ask for it.",
            command=self._command("forecast", "--columns glucose", f"--within {_WITHIN}"),
            answer=f"A count within {_WITHIN} rows, 95 times in 100, needs about epsilon {shown(needed)}.",
            facts=errors | {"spent": "nothing"},
            reading="Epsilon is how much an answer may tell about any one patient; less of it means more noise. The "
            "forecast holds as far as the public sample is like the private table.",
            forecast=forecast,
            within=_WITHIN,
        )

    def _how_many(self) -> Step:
        with bar("Counting"):
            release = self._count()
        exact = self.exact.count(EXTREME.columns)
        return Step(
            title="How many?",
            why="How many patients have a glucose that hardly anyone else has? The answer comes with noise, so that "
            "it is nearly as likely with any one patient replaced by another.",
            command=self._count_command,
            answer=f"About {release.value:,} of {self.session.n_rows:,} patients are outliers in glucose.",
            facts=self._cost(release),
            reading="How far off this may be comes from the public sample, as in the forecast. Noise may turn a small "
            "count into 0, which then means: not clearly more than none. The exact count stays with the custodian, and "
            "so does the size of the noise: it depends on the rows.",
            exact=f"Exactly {exact:,}. {self._planted(EXTREME)}",
            release=release,
        )

    def _where_pairs(self) -> Step:
        with bar("Searching all pairs of columns", 28) as progress:
            release = self.session.top_subspaces(DEFINITION, h=1, size=2, epsilon=PAIRS, progress=progress)
        (best, most), (_, next_most) = self.exact.best(2)
        return Step(
            title="Where, in two columns?",
            why="In which two columns together are the most patients alone? Such a patient may be ordinary in either "
            "column, and no limit on one value would ever find them.",
            command=self._command("subspaces", "--size 2 --top 1", f"--epsilon {shown(PAIRS)}"),
            answer=f"Drawn from all 28 pairs of columns: {list_names(release.value[0])}.",
            facts=self._cost(release),
            reading="Pairs with more outliers are likelier to be drawn; the others have a chance too, which is what "
            "protects the patients. The answer does not say how many outliers there are: the question did not ask.",
            exact=f"The pair with the most is {list_names(best)} with {most:,}; the next has {next_most:,}. "
            f"{self._planted(ODD_PAIR)}",
            release=release,
        )

    def _where_triples(self) -> Step:
        with bar("Searching all sets of three columns", 56) as progress:
            release = self.session.outlier_report(DEFINITION, h=1, size=3, epsilon=TRIPLES, progress=progress)
        [(found, count)] = release.value
        (best, most), (_, next_most) = self.exact.best(3)
        pairs = max(self.exact.count(pair) for pair in (best[:2], best[1:], (best[0], best[2])))
        return Step(
            title="Where, in three columns, and how many there?",
            why="Some patients are alone only in three columns together: each value is ordinary, and so is each pair "
            "of values. Half of this epsilon finds the columns, half counts in them.",
            command=self._command("report", "--size 3 --top 1", f"--epsilon {shown(TRIPLES)}"),
            answer=f"Drawn from all 56 sets of three columns: {list_names(found)}, with about {count:,} outliers.",
            facts=self._cost(release),
            reading="A draw and a count, both with noise. The cost is one total, and is the same however many sets are "
            "searched.",
            exact=f"The set with the most is {list_names(best)} with {most:,}, the next has {next_most:,}; each "
            f"pair of the three has {pairs:,} at most. {self._planted(ODD_TRIPLE)}",
            release=release,
        )

    def _within_wards(self) -> Step:
        columns, within = ODD_WARD.columns, ODD_WARD.within
        with bar("Counting, ward by ward"):
            release = self.session.count_outliers(WARD_DEFINITION, columns, epsilon=WARD)
        exact, among_all = self.exact.count(columns, within), self.exact.count(columns)
        return Step(
            title="Odd for their ward?",
            why="A pulse that is ordinary on the ward for infections may be odd on the one for hearts. How many "
            "patients have an age and a pulse that hardly anyone else on their ward has? With --within ward, only "
            "patients of the same ward are neighbors.",
            command=self._command(
                "count", f"--columns {','.join(columns)}", f"--within {','.join(within)}", f"--epsilon {shown(WARD)}"
            ),
            answer=f"About {release.value:,} of {self.session.n_rows:,} patients are outliers in "
            f"{list_names(columns)} on their ward.",
            facts=self._cost(release),
            reading="Of some patients nobody noted the pulse. By a public rule of the description they take no part in "
            "this question: they are neither outliers nor neighbors. How many they are stays private, and so does how "
            "many patients a ward has; the wards themselves are a public list.",
            exact=f"Exactly {exact:,}; among all wards together, {among_all:,}. {self._planted(ODD_WARD)} Left out: "
            f"{self.exact.left_out(columns):,} patients without a pulse.",
            release=release,
        )

    def _which(self) -> Step:
        columns, h = ODD_TRIPLE.columns, 3
        with bar("Looking near the candidates"):
            release = self.session.detect_outliers(
                DEFINITION, candidates=CANDIDATES, h=h, columns=columns, epsilon=DETECT
            )
        near = self.exact.rows_near(CANDIDATES, columns)
        lonely = [f"{place + 1}" for place, rows in enumerate(near) if rows < DEFINITION.min_neighbors]
        others = min(rows for rows in near if rows >= DEFINITION.min_neighbors)
        return Step(
            title="Which of these?",
            why=f"Ten blood gases from elsewhere, in candidates.csv: which {h} of them would be the loneliest among "
            "these patients? The candidates are public; the patients they are compared with are not.",
            command=self._command(
                "detect",
                f"--columns {','.join(columns)}",
                f"--top {h} --epsilon {shown(DETECT)}",
                files=(self.files.candidates.name,),
            ),
            answer=f"Drawn as the {h} of {len(CANDIDATES)} candidates with the fewest patients near: "
            f"numbers {list_names([str(place + 1) for place in sorted(release.value)])}.",
            facts=self._cost(release),
            reading="One patient more or less near a candidate changes hardly anything, so this question is cheap. "
            "The answer does not say how many patients are near.",
            exact=f"Candidates {list_names(lonely)} have fewer than {DEFINITION.min_neighbors} patients near; "
            f"all others have {others:,} or more.",
            release=release,
        )

    def _why(self) -> Step:
        largest = 3
        with bar("Looking near the patient"):
            release = self.session.explain_outlier(DEFINITION, point=SUSPECT, h=1, max_size=largest, epsilon=EXPLAIN)
        [[found]] = sets_by_point(release)
        pair = ODD_PAIR.columns
        together, *single = (self._near_suspect(columns) for columns in (pair, pair[:1], pair[1:]))
        return Step(
            title="Why this one?",
            why="A patient from elsewhere, in suspect.csv, seems odd, though every value is ordinary. In which columns "
            "does this patient stand alone? The answer prefers few columns, because these say more.",
            command=self._command(
                "explain",
                f"--top 1 --max-size {largest}",
                f"--epsilon {shown(EXPLAIN)}",
                files=(self.files.suspect.name,),
            ),
            answer=f"Drawn from all 92 sets of one to three columns: {list_names(found)}.",
            facts=self._cost(release),
            reading="One patient more or less changes the number near the suspect by one, in whatever columns: this "
            "question is cheap as well, and the price is the same for any number of sets.",
            exact=f"Patients near in {list_names(pair)}: {together:,}; in either alone: {min(single):,} or more.",
            release=release,
        )

    def _near_suspect(self, columns: tuple[str, ...]) -> int:
        places = [list(COLUMNS).index(name) for name in columns]
        return self.exact.rows_near(SUSPECT[:, places], columns)[0]

    def _refused(self) -> Step:
        try:
            self.session.count_outliers(DEFINITION, ODD_TRIPLE.columns, epsilon=REFUSED)
        except BudgetRefused as refusal:
            said = str(refusal)
        return Step(
            title="A question too many",
            why="The budget is a promise about all answers together. A question that exceeds it is refused before any "
            "row is read.",
            command=self._command("count", f"--columns {','.join(ODD_TRIPLE.columns)}", f"--epsilon {shown(REFUSED)}"),
            answer=f"Refused. {said}",
            facts={"spent": "nothing"} | self._remaining,
            reading="A refusal depends on public numbers alone, so it reveals nothing about a patient. The history "
            "keeps it.",
        )

    def _again(self) -> Step:
        release = self._count()
        return Step(
            title="The same question again",
            why="Asking again under the same request id returns the stored answer for free: after a crash, or when the "
            "answer was lost.",
            command=self._count_command,
            answer=f"Still about {release.value:,}: the stored answer, not a new draw.",
            facts={"spent": "nothing"} | self._remaining,
            reading="Fresh noise each time could be averaged away, so there is none here. Another question under the "
            "same id is an error.",
        )

    def _left(self) -> Step:
        found = self.ledger.verify()
        sound = "holds together" if found.sound else "does not hold together"
        return Step(
            title="What is left, and can the history be trusted?",
            why="Every charge was on disk before a row was read, in a chain of hashes that shows whether an event "
            "was changed, removed or reordered.",
            command=(f"eremite budget {self._description}", NEXT, f"eremite history {self._description} --verify"),
            answer=f"{self.session.remaining_in_words} The history of {found.head.seq} events {sound}.",
            facts={"hash": found.head.hash},
            reading="Keep the hash elsewhere: a later check that is given the hash also finds events cut off at the "
            "end.",
        )

    def _count(self) -> Release:
        return self.session.count_outliers(DEFINITION, EXTREME.columns, epsilon=COUNT, request_id=_REQUEST_ID)

    @property
    def _count_command(self) -> tuple[str, ...]:
        return self._command("count", "--columns glucose", f"--epsilon {shown(COUNT)}", f"--request-id {_REQUEST_ID}")

    def _cost(self, release: Release) -> dict[str, str]:
        said = summary(release).meaning
        accuracy = {name: said[name] for name in ("error", "chance", "from", "judged by") if name in said}
        spent = accuracy | {"spent": f"epsilon {shown(release.epsilon)}, by {mechanism_in_words(release)}"}
        return spent | self._remaining | {"protects": protection_in_words(release)}

    @property
    def _remaining(self) -> dict[str, str]:
        return {"left": f"{self.session.remaining} for all later questions"}

    @property
    def _description(self) -> str:
        return shlex.quote(str(self.files.description))

    def _command(self, name: str, *options: str, files: tuple[str, ...] = ()) -> tuple[str, ...]:
        there = [shlex.quote(str(self.files.folder / file)) for file in files]
        definition = f"-k {DEFINITION.min_neighbors} -r {DEFINITION.radius:g}"
        return (" ".join(["eremite", name, self._description, *there]), definition, *options)

    def _planted(self, kind: Kind) -> str:
        return f"Planted: {len(self.files.table.planted[kind]):,} patients with {kind.words}."
