"""The service as an ASGI application."""

from typing import Any

from fastapi import FastAPI

from eremite.service import asking, looking
from eremite.service.edge import Bounded, Punctual
from eremite.service.failures import NoTracebacks, add_handlers
from eremite.service.house import House
from eremite.service.outcomes import without_foreign_failures
from eremite.version import __version__


class _Service(FastAPI):
    """FastAPI, whose description of the routes is what they do."""

    def openapi(self) -> dict[str, Any]:
        return without_foreign_failures(super().openapi())


def application(house: House) -> FastAPI:
    """All routes, behind what holds for every request. Pages that would load code from elsewhere are off."""
    app = _Service(
        title="eremite",
        version=__version__,
        description="Differentially private answers about the outliers of private tables.",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,  # to an address that a proxy may not have
    )
    app.state.house = house
    add_handlers(app)
    for router in (looking.router, asking.router):
        app.include_router(router)
    app.add_middleware(Bounded)
    app.add_middleware(NoTracebacks)
    app.add_middleware(Punctual, tick=house.turns.tick)  # outermost: whatever the answer is, it is on time
    return app
