"""All figures of a run."""

from collections.abc import Iterator
from pathlib import Path

from matplotlib.figure import Figure

from eremite.plots.look import save
from eremite_paper import figures_of_counts as counts
from eremite_paper import figures_of_searches as searches
from eremite_paper.experiments import Results
from eremite_paper.figures_of_searches import named
from eremite_paper.tables import values


def draw_all(results: Results, folder: Path) -> None:
    """Write each figure as SVG and PNG, for every table with results."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in _figures(results):
        save(figure, folder, f"paper-{name}")


def _figures(results: Results) -> Iterator[tuple[str, Figure]]:
    yield "bounds", counts.bounds(results["global_sensitivity"])
    for table in values(results["scenario_1"], "table"):
        yield named(table), counts.noise(results["scenario_1"], str(table))
    for table in values(results["scenario_2"], "table"):
        yield named(table), searches.search(results["scenario_2"], str(table))
    yield "detection", searches.detection(results["scenario_3"])
    yield "calls", searches.calls(results["calls"])
    yield "seconds", searches.seconds(results["seconds"])
    if results["adult"]:
        yield "adult", counts.adult(results["adult"])
        yield "adult-subspaces", searches.adult_search(results["adult_subspaces"])
