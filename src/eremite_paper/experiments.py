"""The experiments in order, and how they are run: part by part, each kept once it is complete."""

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
#: Told the name of an experiment, how many of its parts are done, and how many there are.
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
    """Every experiment, from its CSV file in `folder` if that was made with the same setting, else run and kept."""
    folder.mkdir(parents=True, exist_ok=True)
    return {experiment.name: _kept(experiment, setting, folder, progress) for experiment in EXPERIMENTS}


def _kept(experiment: Experiment, setting: Setting, folder: Path, progress: Progress) -> list[Row]:
    path = folder / f"{experiment.name}.csv"
    rows = read_table(path, setting.in_words)
    if rows is None:
        write_table(path, _run(experiment, setting, progress), setting.in_words)
        rows = read_table(path, setting.in_words)  # as rounded, so that a resumed run says the same
    return rows or []


def _run(experiment: Experiment, setting: Setting, progress: Progress) -> list[Row]:
    parts, rows = experiment.parts(setting), []
    for done, part in enumerate(parts):
        progress(experiment.name, done, len(parts))
        rows += part()
    progress(experiment.name, len(parts), len(parts))
    return rows
