"""A stream of candidates, answered yes and no."""

from datetime import datetime
from threading import Lock
from typing import Any

from eremite.errors import BudgetRefused
from eremite.queries.screening import Screening, ScreeningPlan
from eremite.release import ScreenRelease
from eremite.session.request import Request


class Screen:
    """Says of public points whether they would be outliers, until `yes_left` answers were yes.

    All answers of a screen together are differentially private with the epsilon it was opened with; every release it
    gives names the same request, and costs nothing more.
    """

    def __init__(self, plan: ScreeningPlan, request: Request, request_id: str, charged_at: datetime) -> None:
        self._plan, self._request = plan, request
        self._request_id, self._charged_at = request_id, charged_at
        self._screening = Screening(request.table, plan)
        self._asked = 0
        self._one_at_a_time = Lock()  # two answers at once could give more yes than there are

    @property
    def yes_left(self) -> int:
        """How many times the answer may still be yes."""
        return max(self._screening.left, 0)

    def ask(self, candidates: Any) -> ScreenRelease:
        """Answer for public points, one per row; fewer answers than points if the last yes is given.

        Args:
            candidates: Points in the table's own units. A frame is matched by name, an array or a list of rows by
                position, as in `Session.detect_outliers`.
        """
        points, strata = self._request.table.locate(candidates, self._plan.columns, self._plan.definition.within)
        with self._one_at_a_time:
            if self.yes_left == 0:
                raise BudgetRefused(
                    f"This screen has given all of its {self._plan.most_yes} yes answers; open another with "
                    "open_screen."
                )
            answers = self._screening.answer(points, strata)
            first, self._asked = self._asked, self._asked + len(answers)
        return self._request.release(answers, self._request_id, self._charged_at, (("asked_before", first),))

    def __repr__(self) -> str:
        return f"Screen({self._plan.definition}, columns={self._plan.columns}, yes_left={self.yes_left})"
