"""How large a run of the experiments is."""

from dataclasses import dataclass, field, fields

from eremite.version import __version__
from eremite_paper.files import Files

SEED = 2015


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """The seed, the tables at hand, and how often what is drawn."""

    seed: int = SEED
    files: Files = field(default_factory=Files, repr=False)
    draws: int = 100  # of each table in Scenario 1, and of each candidate set in Scenario 3
    tables: int = 10  # draws of each table in Scenario 2
    runs: int = 1_000  # of each mechanism on each table in Scenario 2
    most_calls: int = 100_000  # of the enclosing ball, after which Algorithm 1 is given up
    largest: int = 10_000  # rows, where the time of our depth is measured
    rows_of_adult: int = 48_842
    columns_of_adult: int = 6  # in which subspaces are looked for

    @property
    def in_words(self) -> str:
        """One line that tells two runs apart which would give other numbers."""
        sizes = [f"{one.name} {getattr(self, one.name)}" for one in fields(self) if one.name != "files"]
        absent = " and ".join(self.files.missing) or "nothing"
        return "; ".join([f"eremite {__version__}", *sizes, f"absent: {absent}"])


def quick(seed: int, files: Files) -> Setting:
    """Everything once, small: to see that it works."""
    return Setting(
        seed=seed, files=files, draws=3, tables=1, runs=50, most_calls=3_000, largest=400,
        rows_of_adult=2_000, columns_of_adult=3,
    )  # fmt: skip
