"""The process that Spark forks Python workers from, where Spark is this machine alone.

What every worker needs is imported here, once. Spark's own process of this kind imports nothing, so that each worker
takes a second to begin.
"""

import numpy as np
from pyspark import daemon

from eremite.tiles import spark_rdd, table  # noqa: F401 -- for the workers
from eremite.tiles.tiling import UNDIVIDED

if __name__ == "__main__":
    UNDIVIDED.sort(np.empty((0, 1)))  # loads what all kernels need
    daemon.manager()
