"""A figure that shows itself."""

from matplotlib.figure import Figure

from eremite.plots.files import svg


class Picture(Figure):
    """A matplotlib figure that no window opens for, and that notebooks show when it is a cell's result."""

    def _repr_svg_(self) -> str:
        return svg(self)
