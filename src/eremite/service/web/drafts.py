"""The forms that were sent for jobs, so that a question can be changed and asked again. In memory, up to a limit."""

from collections import OrderedDict
from dataclasses import dataclass

from eremite.service.web.forms import Form

_MOST_CHARS = 2**24  # of all forms together; the oldest make room


@dataclass(frozen=True, slots=True)
class Draft:
    """A form, and the question that it is about."""

    kind: str
    form: Form


class Drafts:
    """Forms by the id of the job that they were sent for. Whoever may see the job may see its form."""

    def __init__(self, most_chars: int = _MOST_CHARS) -> None:
        self._most = most_chars
        self._total = 0
        self._kept: OrderedDict[str, tuple[Draft, int]] = OrderedDict()

    def keep(self, job_id: str, draft: Draft) -> None:
        """Keep the form of a job, in place of the oldest ones if there are too many."""
        size = sum(len(name) + sum(map(len, texts)) for name, texts in draft.form.fields.items())
        self._drop(job_id)
        self._kept[job_id] = (draft, size)
        self._total += size
        while self._total > self._most:
            self._drop(next(iter(self._kept)))

    def find(self, job_id: str) -> Draft | None:
        """The form of a job, if it is still kept."""
        found = self._kept.get(job_id)
        return None if found is None else found[0]

    def _drop(self, job_id: str) -> None:
        _, size = self._kept.pop(job_id, (None, 0))
        self._total -= size
