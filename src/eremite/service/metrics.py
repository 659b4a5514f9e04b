"""Numbers for Prometheus: how jobs ended, how many wait, and what is left of budgets.

All of them change at the ends of turns alone, which are whole ticks; none is a duration.
"""

from collections.abc import Iterator, Mapping

from eremite.privacy import Privacy
from eremite.service.desk import Desk

METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def metrics_of(desk: Desk, left: Mapping[str, Privacy | None]) -> str:
    """The numbers of these datasets, each with what is left of its budget."""
    return "".join(f"{line}\n" for line in _lines(desk, left))


def _lines(desk: Desk, left: Mapping[str, Privacy | None]) -> Iterator[str]:
    yield "# HELP eremite_jobs_total Jobs that ended, by how they ended."
    yield "# TYPE eremite_jobs_total counter"
    for (dataset, question, state), number in sorted(desk.ended.items()):
        if dataset in left:
            labels = _labels(dataset=dataset, question=question, state=state)
            yield f"eremite_jobs_total{labels} {number}"
    yield "# HELP eremite_jobs_waiting Jobs that wait for their turn."
    yield "# TYPE eremite_jobs_waiting gauge"
    waiting = desk.queue_lengths()
    for dataset in sorted(left):
        yield f"eremite_jobs_waiting{_labels(dataset=dataset)} {waiting.get(dataset, 0)}"
    yield "# HELP eremite_budget_left What is left of the budget of a dataset."
    yield "# TYPE eremite_budget_left gauge"
    for dataset, privacy in sorted(left.items()):
        if privacy is not None:
            yield f"eremite_budget_left{_labels(dataset=dataset, of='epsilon')} {float(privacy.epsilon)!r}"
            yield f"eremite_budget_left{_labels(dataset=dataset, of='delta')} {float(privacy.delta)!r}"


def _labels(**values: str) -> str:
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in values.items()) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
