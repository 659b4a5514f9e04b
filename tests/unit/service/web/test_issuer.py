"""A token of the institution's identity provider signs in, until it expires."""

from pathlib import Path

from eremite.service.oidc import Oidc
from eremite.service.oidc_settings import OidcSettings
from tests.unit.service.issuer import AUDIENCE, NOW, running_issuer
from tests.unit.service.web.visiting import Visit, service, visited

DAY = 24 * 3600


def test_session_of_an_issuers_token_ends_with_the_token(tmp_path: Path) -> None:
    now = [float(NOW)]
    with running_issuer() as issuer:
        allowed = {"claim": "groups", "values": {"icu": ["patients"]}}
        settings = {"issuer": issuer.address, "audience": AUDIENCE, "datasets": allowed}
        served = service(tmp_path, oidc=Oidc(OidcSettings.model_validate(settings), clock=lambda: now[0]))

        async def visit(visit: Visit) -> None:
            assert (await visit.sign_in(issuer.token(aud="another"))).status_code == 401
            assert (await visit.sign_in(issuer.token())).status_code == 303
            assert (await visit.get("/datasets/patients")).status_code == 200
            assert (await visit.get("/tokens")).status_code == 403
            now[0] += DAY
            assert (await visit.get("/")).status_code == 303

        visited(served, visit)
