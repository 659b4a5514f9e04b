"""A guided tour on a made-up table: the questions a custodian would ask, each answered privately, and a report.

The exact numbers beside the private ones are shown only because the table is made up; of a private
table they never are.
"""

from eremite.demo.files import write_served
from eremite.demo.tour import run

__all__ = ["run", "write_served"]
