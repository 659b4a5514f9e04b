"""All experiments in order. Each runs part by part, and its table is written once it is complete."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from eremite_paper import (
    computing_cost,
    global_sensitivity,
    guarantees,
    scenario_1,
    scenario_2,
    scenario_3,
    whole_adult,
)
from eremite_paper.setting import Setting
from eremite_paper.tables import Row, read_table, write_table

Part = Callable[[], list[Row]]
#: Called with the name of an experiment, the number of finished parts, and the number of all parts.
Progress = Callable[[str, int, int], None]
#: Results by the name of their experiment.
Results = dict[str, list[Row]]


@dataclass(frozen=True, slots=True)
class Experiment:
    """A table of results, made in parts."""

    name: str
    parts: Callable[[Setting], Sequence[Part]]


EXPERIMENTS = (
    Experiment("global_sensitivity", global_sensitivity.parts),
    Experiment("guarantees", guarantees.parts),
    Experiment("scenario_1", scenario_1.noise_parts),
    Experiment("radius", scenario_1.radius_parts),
    Experiment("scenario_2", scenario_2.parts),
    Experiment("scenario_3", scenario_3.parts),
    Experiment("calls", computing_cost.call_parts),
    Experiment("seconds", computing_cost.second_parts),
    Experiment("adult", whole_adult.count_parts),
    Experiment("adult_radius", whole_adult.radius_parts),
    Experiment("adult_subspaces", whole_adult.subspace_parts),
)


def run_all(setting: Setting, folder: Path, progress: Progress) -> Results:
    """The results of every experiment: read from its CSV file in `folder` if the setting is the same, else computed."""
    folder.mkdir(parents=True, exist_ok=True)
    return {experiment.name: _kept(experiment, setting, folder, progress) for experiment in EXPERIMENTS}


def _kept(experiment: Experiment, setting: Setting, folder: Path, progress: Progress) -> list[Row]:
    path = folder / f"{experiment.name}.csv"
    rows = read_table(path, setting.in_words)
    if rows is None:
        write_table(path, _run(experiment, setting, progress), setting.in_words)
        rows = read_table(path, setting.in_words)  # rounded as in the file, so that a resumed run gives the same
    return rows or []


def _run(experiment: Experiment, setting: Setting, progress: Progress) -> list[Row]:
    parts, rows = experiment.parts(setting), []
    for done, part in enumerate(parts):
        progress(experiment.name, done, len(parts))
        rows += part()
    progress(experiment.name, len(parts), len(parts))
    return rows
