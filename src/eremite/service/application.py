"""The service as an ASGI application."""

from typing import Any

from fastapi import FastAPI

from eremite.service.errors import add_handlers
from eremite.service.middleware import add_middleware
from eremite.service.routes import router
from eremite.service.schemas import without_fastapi_errors
from eremite.service.state import ServiceState
from eremite.service.web import add_pages
from eremite.version import __version__


class _Service(FastAPI):
    """FastAPI with an OpenAPI description that lists only responses the service sends."""

    def openapi(self) -> dict[str, Any]:
        return without_fastapi_errors(super().openapi())


def application(state: ServiceState) -> FastAPI:
    """All routes and middleware. The interactive docs are off because they load scripts from other sites."""
    app = _Service(
        title="eremite",
        version=__version__,
        description="Differentially private answers about the outliers of private tables.",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,  # behind a proxy, the redirect could lead to an address that does not exist
    )
    app.state.service = state
    add_handlers(app)
    app.include_router(router)
    add_pages(app)
    add_middleware(app, state.tick)
    return app
