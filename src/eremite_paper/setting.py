"""The size of a run of the experiments."""

from dataclasses import dataclass, field, fields

from eremite.version import __version__
from eremite_paper.files import Files

SEED = 2015


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """The seed, the available tables, and how often each experiment is repeated."""

    seed: int = SEED
    files: Files = field(default_factory=Files, repr=False)
    draws: int = 100  # of each table in Scenario 1, and of each candidate set in Scenario 3
    tables: int = 10  # draws of each table in Scenario 2
    runs: int = 1_000  # of each mechanism on each table in Scenario 2
    most_calls: int = 100_000  # of the enclosing ball before Algorithm 1 is given up
    largest: int = 10_000  # number of rows for which our depth is timed
    rows_of_adult: int = 48_842
    columns_of_adult: int = 6  # among which subspaces are searched

    @property
    def in_words(self) -> str:
        """One line that identifies the numbers: two runs with the same line give the same ones."""
        sizes = [f"{one.name} {getattr(self, one.name)}" for one in fields(self) if one.name != "files"]
        absent = " and ".join(self.files.missing) or "nothing"
        return "; ".join([f"eremite {__version__}", *sizes, f"absent: {absent}"])


def quick(seed: int, files: Files) -> Setting:
    """A small setting that runs every experiment, to see that it works."""
    return Setting(
        seed=seed, files=files, draws=3, tables=1, runs=50, most_calls=3_000, largest=400,
        rows_of_adult=2_000, columns_of_adult=3,
    )  # fmt: skip
