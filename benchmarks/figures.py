"""`python -m benchmarks.figures`: the figures of the documentation."""

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
mpl.rcParams["svg.hashsalt"] = "eremite"

import matplotlib.pyplot as plt  # noqa: E402

from eremite.sensitivity import global_bounds  # noqa: E402

FOLDER = Path(__file__).parents[1] / "docs" / "figures"
# Okabe and Ito's colours: told apart by colour-blind readers, and by their lightness in grey.
COLOURS = {1: "#E69F00", 3: "#0072B2", 5: "#000000"}


def global_sensitivity(path: Path) -> None:
    """The paper's figure: both bounds on the global sensitivity over d, for k = 1, 3, 5 and a table without end."""
    figure, axes = plt.subplots(figsize=(6.4, 4.0), layout="constrained")
    dims = range(1, 25)
    for k, colour in COLOURS.items():
        lower, upper = zip(*(global_bounds(10**12, d, k) for d in dims), strict=True)
        axes.plot(dims, upper, color=colour, lw=1.8)
        axes.plot(dims, lower, color=colour, lw=1.8, ls=(0, (4, 2)))
        axes.annotate(f"k = {k}", (24, upper[-1]), xytext=(5, 0), textcoords="offset points", color=colour, va="center")
        axes.annotate(f"k = {k}", (24, lower[-1]), xytext=(5, 0), textcoords="offset points", color=colour, va="center")
    axes.annotate("upper bound  $kK_d + 1$", (10.2, 4800), rotation=33, ha="center")
    axes.annotate("lower bound  $2dk + 1$", (15, 330), ha="center")
    axes.set(yscale="log", xlabel="columns $d$", ylabel="global sensitivity of the count", xlim=(1, 24))
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    global_sensitivity(FOLDER / "global-bounds.svg")
