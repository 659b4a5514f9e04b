"""The HTTP service: analysts ask over the network, each with a token, and get releases and nothing else.

Protected: every row, as by `Session`, which answers every question. Public: what the description says, the number of
rows, every request. Beside answers, whoever talks to the service sees when they come: questions take turns of whole
ticks (`turns`), so that the time tells no more than their number. What that leaves open is in docs/known-limits.md.
"""

from typing import Any


def openapi() -> dict[str, Any]:
    """Every route and field, as OpenAPI. No dataset is opened."""
    from pathlib import Path

    from eremite.service.extra import require_extra

    require_extra()
    from eremite.service.application import application
    from eremite.service.house import House
    from eremite.service.turns import Turns

    return application(House(datasets={}, tokens=Path("tokens.json"), turns=Turns(1.0))).openapi()
