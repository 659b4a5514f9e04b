"""The peers, each answering one of two questions about a case.

degrees    min(number of neighbors, CAP) of every row
outliers   which rows have fewer than K neighbors

A peer that would take long is timed on a sample of the rows, taken evenly from the whole table (building its index is
always timed in full), and its time extrapolated; such figures are marked with ~. All run on one thread.
"""

from collections.abc import Callable
from dataclasses import dataclass
from time import process_time

import numpy as np
from numpy.typing import NDArray

from benchmarks.tables import CAP, Case, K
from eremite.engines import count_neighbors

_SECONDS = 1.5  # what a sample may take
_FIRST = 100  # rows that tell how long a row takes
_MOST_FITTED = 100_000  # rows that PyOD fits


@dataclass(frozen=True, slots=True)
class Timing:
    """CPU seconds for the whole table, whether extrapolated, and how many of the sampled rows came out wrong."""

    peer: str
    question: str
    seconds: float
    sampled: bool
    wrong: int


Answer = NDArray[np.int64] | NDArray[np.bool_]
Query = Callable[[NDArray[np.float64]], Answer]


def timings(
    case: Case, exact: NDArray[np.int64], question: str | None = None, seconds: float = _SECONDS
) -> list[Timing]:
    """Every peer on the case, or those that answer one question; `exact` are the capped degrees to compare with."""
    indexed: dict[tuple[str, str], Callable[[Case], Query]] = {
        ("cKDTree ball", "degrees"): _ckdtree_ball,
        ("cKDTree k=cap", "degrees"): lambda c: _ckdtree_nearest(c, CAP),
        ("BallTree", "degrees"): _balltree,
        ("pykdtree k=cap", "degrees"): lambda c: _pykdtree_nearest(c, CAP),
        ("cKDTree k=5", "outliers"): lambda c: _ckdtree_nearest(c, K),
        ("pykdtree k=5", "outliers"): lambda c: _pykdtree_nearest(c, K),
    }
    done = [_indexed(*who, case, exact, build, seconds) for who, build in indexed.items() if question in (None, who[1])]
    if question != "degrees":
        done.append(_pyod(case))
        if 2 <= case.points.shape[1] <= 5:
            done.append(_dbscan(case, exact))
    return done


def outlier_timings(case: Case, seconds: float = _SECONDS) -> list[Timing]:
    """Every peer that finds the outliers; among them cKDTree's ball, whose degrees tell them. Fastest first."""
    exact = count_neighbors(case.points, case.radius, CAP)
    ball = _indexed("cKDTree ball", "degrees", case, exact, _ckdtree_ball, seconds)
    return sorted([ball, *timings(case, exact, "outliers", seconds)], key=lambda peer: peer.seconds)


def best_exact(case: Case) -> Timing:
    """The fastest peer that finds the outliers, and no other rows."""
    found = timings(case, count_neighbors(case.points, case.radius, CAP), "outliers")
    return min((peer for peer in found if peer.wrong == 0), key=lambda peer: peer.seconds)


def _indexed(
    peer: str,
    question: str,
    case: Case,
    exact: NDArray[np.int64],
    build: Callable[[Case], Query],
    seconds: float,
) -> Timing:
    start = process_time()
    query = build(case)
    built = process_time() - start
    n = len(case.points)
    rows = _spread(n, _FIRST)
    answer, taken = _timed(query, case.points[rows])
    if rows.size < n:
        rows = _spread(n, max(rows.size, int(rows.size * seconds / max(taken, 1e-4))))
        answer, taken = _timed(query, case.points[rows])
    wanted = exact[rows] if question == "degrees" else exact[rows] < K
    wrong = int(np.count_nonzero(answer != wanted))
    return Timing(peer, question, built + taken * n / rows.size, rows.size < n, wrong)


def _spread(n: int, most: int) -> NDArray[np.intp]:
    """All rows, or so many of them at even distances: a real table may be sorted."""
    return np.arange(n) if most >= n else np.linspace(0, n - 1, most).astype(np.intp)


def _timed(query: Query, rows: NDArray[np.float64]) -> tuple[Answer, float]:
    start = process_time()
    answer = query(rows)
    return answer, process_time() - start


def _ckdtree_ball(case: Case) -> Query:
    from scipy.spatial import cKDTree

    tree = cKDTree(case.points)
    return lambda rows: np.minimum(tree.query_ball_point(rows, case.euclidean, return_length=True) - 1, CAP)


def _ckdtree_nearest(case: Case, cap: int) -> Query:
    from scipy.spatial import cKDTree

    return _nearest(cKDTree(case.points), case, cap)


def _pykdtree_nearest(case: Case, cap: int) -> Query:
    from pykdtree.kdtree import KDTree

    return _nearest(KDTree(case.points), case, cap)


def _nearest(tree: object, case: Case, cap: int) -> Query:
    """The cap + 1 nearest rows, the row itself among them; how many lie within the radius."""
    bound = np.nextafter(case.euclidean, np.inf)

    def query(rows: NDArray[np.float64]) -> Answer:
        distances = tree.query(rows, k=min(cap + 1, len(case.points)), distance_upper_bound=bound)[0]  # type: ignore[attr-defined]
        found = np.count_nonzero(distances <= case.euclidean, axis=1) - 1
        return np.asarray(found < K if cap == K else found)

    return query


def _balltree(case: Case) -> Query:
    from sklearn.neighbors import BallTree

    tree = BallTree(case.points)
    return lambda rows: np.minimum(tree.query_radius(rows, case.euclidean, count_only=True) - 1, CAP)


@dataclass(slots=True)
class _Scores:
    """PyOD's scores of one table; the same for every radius, so the last ones are kept."""

    points: NDArray[np.float64]
    rows: NDArray[np.intp]
    scores: NDArray[np.float64]
    seconds: float


_last_scores: list[_Scores] = []


def _pyod(case: Case) -> Timing:
    """A sample is a table of its own, so it is asked for the outliers of the sample."""
    if not _last_scores or _last_scores[0].points is not case.points:
        _last_scores[:] = [_pyod_scores(case.points)]
    last, n = _last_scores[0], len(case.points)
    wanted = count_neighbors(case.points[last.rows], case.radius, K) < K
    wrong = int(np.count_nonzero((last.scores > case.euclidean) != wanted))
    return Timing("PyOD KNN", "outliers", last.seconds * n / last.rows.size, last.rows.size < n, wrong)


def _pyod_scores(points: NDArray[np.float64]) -> _Scores:
    """PyOD scores the rows it fits, so a sample is a smaller table, which flatters it."""
    from pyod.models.knn import KNN

    rows = _spread(len(points), _MOST_FITTED)
    sample = points[rows]
    start = process_time()
    scores = KNN(n_neighbors=K, n_jobs=1).fit(sample).decision_scores_
    return _Scores(points, rows, scores, process_time() - start)


def _dbscan(case: Case, exact: NDArray[np.int64]) -> Timing:
    start = process_time()
    outliers = dbscan_outliers(case.points, case.euclidean, K)
    seconds = process_time() - start
    return Timing("dbscan", "outliers", seconds, False, int(np.count_nonzero(outliers != (exact < K))))


def dbscan_outliers(points: NDArray[np.float64], euclidean: float, k: int) -> NDArray[np.bool_]:
    """Which rows have fewer than k neighbors: what `dbscan` answers on the way to its clusters.

    `min_samples` counts the row itself.
    """
    from dbscan import DBSCAN

    _, core = DBSCAN(points, eps=euclidean, min_samples=k + 1)
    return np.asarray(~core.astype(np.bool_))
