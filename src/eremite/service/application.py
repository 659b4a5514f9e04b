"""The service as an ASGI application."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI

from eremite.service.errors import add_handlers
from eremite.service.middleware import BodyLimit, ErrorBoundary, QuantizedDelay
from eremite.service.routes import router
from eremite.service.schemas import without_fastapi_errors
from eremite.service.state import ServiceState
from eremite.version import __version__


class _Service(FastAPI):
    """FastAPI with an OpenAPI description that lists only responses the service sends."""

    def openapi(self) -> dict[str, Any]:
        return without_fastapi_errors(super().openapi())


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Go on with the jobs that waited; at the end, let the turns under way end."""
    desk = app.state.service.desk
    desk.go_on()
    yield
    desk.stop()
    await desk.stopped()


def application(state: ServiceState) -> FastAPI:
    """All routes and middleware. The interactive docs are off because they load scripts from other sites."""
    app = _Service(
        title="eremite",
        version=__version__,
        description="Differentially private answers about the outliers of private tables.",
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
        redirect_slashes=False,  # behind a proxy, the redirect could lead to an address that does not exist
    )
    app.state.service = state
    add_handlers(app)
    app.include_router(router)
    app.add_middleware(BodyLimit)
    app.add_middleware(ErrorBoundary)
    app.add_middleware(QuantizedDelay, tick=state.tick)  # added last, so outermost: it delays every response
    return app
