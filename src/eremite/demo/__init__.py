"""A guided tour on a made-up table: the questions a custodian would ask, each answered privately, and a report.

The exact numbers beside the private ones are shown only because the table is made up; of a private
table they never are.
"""

from pathlib import Path

from eremite.demo.tour import run_tour


def run(folder: Path) -> None:
    """Make up a table, its description and its ledger in `folder`, ask the questions, and write `report.html`."""
    run_tour(folder)


__all__ = ["run"]
