"""Every kernel compiled before the first private question.

Kernels are compiled when they are first needed, for each number of columns up to `UNROLLED` anew, and which ones a
question needs may depend on the rows: it would show in the time the first questions take. So they are needed once
beforehand, by questions about made-up rows: crowded, scattered and in between, and at a radius so small that rows are
not put into cells.
"""

from collections.abc import Iterator
from itertools import product

from eremite.engines.pair import UNROLLED
from eremite.forecast import SHAPES, made_up
from eremite.outliers import OutlierDefinition
from eremite.session.session import Session
from eremite.table import Bounds

_ROWS = 400
_RADII = (0.1, 1e-9)


def compile_kernels(most_columns: int) -> None:
    """All that questions in up to so many columns need. A minute or two the first time on a machine, then seconds."""
    for columns, definition, session in _sessions(most_columns):
        session.count_outliers(definition, epsilon=1)
        session.top_subspaces(definition, h=1, size=columns, epsilon=1)
        session.detect_outliers(definition, candidates=[[0.5] * columns], h=1, epsilon=1)
        session.detect_outliers(definition, candidates=None, h=1, epsilon=1)


def _sessions(most_columns: int) -> Iterator[tuple[int, OutlierDefinition, Session]]:
    for columns in range(1, min(most_columns, UNROLLED + 1) + 1):
        bounds = {f"column {i}": Bounds(min=0, max=1) for i in range(columns)}
        for shape, radius in product(SHAPES, _RADII):
            session = Session(made_up(bounds, _ROWS, 1, shape).table, epsilon=10)
            yield columns, OutlierDefinition(min_neighbors=5, radius=radius), session
