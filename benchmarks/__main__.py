"""`python -m benchmarks`: everything we claim about speed, memory and accuracy, measured here and now.

One thread for us and for the peers in the first part; the environment variables below tell the peers so, and must be
set before they load.
"""

import argparse
import os
import sys

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PARLAY_NUM_THREADS"):
    os.environ[variable] = "1"

from rich.console import Console  # noqa: E402

from benchmarks import (  # noqa: E402
    agreement,
    both_sides,
    counts,
    detection,
    families,
    forecasts,
    growth,
    ledger,
    many_subspaces,
    neighbors,
    radii,
    reach,
    scale,
    sensitivity,
    service,
    strata,
    subspaces,
    told_by_time,
    wide,
)

DIMENSIONS = (1, 2, 3, 5, 8)


def main() -> int:
    """Print the tables; with --quick, small ones that only show that the benchmarks work."""
    parser = argparse.ArgumentParser(
        description="Speed and memory as ratios to the best peers; the accuracy of private counts and searches."
    )
    parser.add_argument("--quick", action="store_true", help="a small table instead of a million rows")
    quick = parser.parse_args().quick
    out = Console(width=220)
    neighbors.warm_up(DIMENSIONS)
    cleared = neighbors.run(out, (10_000,) if quick else (10_000, 100_000, 1_000_000), DIMENSIONS)
    if not quick:
        cleared &= growth.run(out, 1_000_000, DIMENSIONS)
    cleared &= families.run(out, 5_000 if quick else 100_000)
    cleared &= sensitivity.cost(out, 20_000 if quick else 1_000_000)
    cleared &= sensitivity.tightness(out, 2_000 if quick else 10_000, limit=20 if quick else 60)
    sensitivity.exact_depth(out, limit=1 if quick else 10)
    cleared &= told_by_time.run(out, every=100 if quick else 10)
    cleared &= counts.accuracy(out, 2_000 if quick else 10_000, with_mammography=not quick)
    cleared &= reach.accuracy(out, reach.few_tables() if quick else reach.tables(out))
    cleared &= reach.synthetic(out, 3 if quick else 60)
    cleared &= reach.cost(out, 5_000 if quick else 50_000, (2, 3) if quick else (1, 2, 3, 5, 8, 9))
    cleared &= reach.told_by_time(out, 400 if quick else 4_000)
    two_sided = both_sides.few_tables() if quick else both_sides.tables(out)
    cleared &= both_sides.accuracy(out, two_sided)
    cleared &= both_sides.cost(out, two_sided)
    cleared &= forecasts.run(out, quick=quick)
    cleared &= counts.draws(out, times=100 if quick else 5_000)
    cleared &= counts.end_to_end(out, 20_000 if quick else 1_000_000)
    cleared &= strata.run(out, 20_000 if quick else 300_000, with_shuttle=not quick)
    cleared &= radii.run(out, *((radii.generated(5_000, ((2_000, 4),)), (1,)) if quick else (radii.all_tables(out),)))
    if not quick:
        cleared &= radii.run(out, radii.large_table(), (1,))
    cleared &= wide.run(out, *((wide.generated(((5_000, 10),)), 0.1) if quick else (wide.all_tables(out),)))
    cleared &= wide.sparse_table(out, 1_000 if quick else 8_000)
    cleared &= agreement.agreement(out, times=20 if quick else 500)
    cleared &= subspaces.papers(out, runs=100 if quick else 10_000, tables=1 if quick else 10)
    cleared &= subspaces.found_at(out, 10_000, plants=(subspaces.THREE,) if quick else subspaces.PLANTS)
    if not quick:
        subspaces.real_tables(out, runs=4_000)
        subspaces.shares(out, 10_000)
    cleared &= detection.curve(out, 10_000, calls=10 if quick else 400)
    cleared &= ledger.run(out, requests=20 if quick else 300)
    cleared &= service.run(out, quick=quick)
    many_subspaces.run(out, *((2_000, 5_000, 6) if quick else (100_000, 1_000_000)))
    if quick:
        scale.run(out)  # in full it takes an hour, and has a command of its own
        out.print("The benchmarks work; the bars are meant for the tables of the full run.")
    else:
        out.print("Every bar cleared." if cleared else "At least one bar was missed; the tables say which.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
