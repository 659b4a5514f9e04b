"""`python -m benchmarks.figures`: the figures of the documentation."""

from pathlib import Path

from benchmarks import noise_figures, plot_figures, relation_figures, subspace_figures
from benchmarks.look import BLACK, BLUE, ORANGE, label, panels, save
from eremite.sensitivity import global_bounds

FOLDER = Path(__file__).parents[1] / "docs" / "figures"
COLORS = {1: ORANGE, 3: BLUE, 5: BLACK}


def global_sensitivity(path: Path) -> None:
    """The paper's figure: both bounds on the global sensitivity over d, for k = 1, 3, 5 and a table without end."""
    figure, [axes] = panels(1, 6.4)
    dims = range(1, 25)
    for k, color in COLORS.items():
        lower, upper = zip(*(global_bounds(10**12, d, k) for d in dims), strict=True)
        axes.plot(dims, upper, color=color, lw=1.8)
        axes.plot(dims, lower, color=color, lw=1.8, ls=(0, (4, 2)))
        label(axes, f"k = {k}", (24, upper[-1]), color)
        label(axes, f"k = {k}", (24, lower[-1]), color)
    axes.annotate("upper bound  $kK_d + 1$", (10.2, 4800), rotation=33, ha="center")
    axes.annotate("lower bound  $2dk + 1$", (15, 330), ha="center")
    axes.set(yscale="log", xlabel="columns $d$", ylabel="global sensitivity of the count", xlim=(1, 24))
    save(figure, path)


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    global_sensitivity(FOLDER / "global-bounds.svg")
    noise_figures.tails(FOLDER / "tails.svg")
    noise_figures.widths(FOLDER / "widths.svg")
    relation_figures.neighbors(FOLDER / "relations.svg")
    subspace_figures.chances(FOLDER / "found.svg")
    plot_figures.draw_all(FOLDER)
