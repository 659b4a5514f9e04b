"""The process that Spark forks Python workers from, where Spark is this machine alone.

What every worker needs is imported here, once. Spark's own process of this kind imports nothing, so that each worker
takes a second to begin.
"""

import sys


def main() -> None:
    """Import, then fork workers until Spark ends."""
    # Spark puts its modules first, in archives that Python compiles anew in every process. The same are installed.
    sys.path.sort(key=lambda place: place.endswith(".zip"))
    import numpy as np
    from pyspark import daemon, worker  # noqa: F401 -- for the workers

    from eremite.tiles import spark_rdd, table  # noqa: F401 -- for the workers
    from eremite.tiles.tiling import UNDIVIDED

    UNDIVIDED.sort(np.empty((0, 1)))  # loads what all kernels need
    daemon.manager()


if __name__ == "__main__":
    main()
