"""All pages of the service in one place."""

from fastapi import APIRouter, FastAPI

from eremite.service.web import analyst, custodian, sign_in
from eremite.service.web.assets import static_file
from eremite.service.web.rendering import Web


def add_pages(app: FastAPI) -> None:
    """Add the pages to the service. They are not part of its OpenAPI description, which is for programs."""
    app.state.web = Web()
    files = APIRouter(include_in_schema=False)
    files.add_api_route("/static/{name}", static_file, methods=["GET"])
    for router in (files, sign_in.router, analyst.router, custodian.router):
        app.include_router(router)
