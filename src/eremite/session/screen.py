"""A stream of candidates, answered yes and no."""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from threading import Lock
from typing import Any, TypeVar

from eremite.errors import BudgetRefused, InputError
from eremite.queries.screening import Screening, ScreeningPlan
from eremite.release import ScreenRelease
from eremite.session.request import Request

Result = TypeVar("Result")


def after_charge(action: Callable[[], Result]) -> Result:
    """What an action gives that was paid for. It is too late to say that an input is not valid, and nothing charged.

    A file that was changed, a full disk or a cluster that is gone ends it; what it says about rows is not passed on.
    """
    with suppress(InputError):
        return action()
    raise RuntimeError("The rows could not be counted where they are.")


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
            answers = after_charge(lambda: self._screening.answer(points, strata))
            first, self._asked = self._asked, self._asked + len(answers)
        return self._request.release(answers, self._request_id, self._charged_at, (("asked_before", first),))

    def __repr__(self) -> str:
        return f"Screen({self._plan.definition}, columns={self._plan.columns}, yes_left={self.yes_left})"
