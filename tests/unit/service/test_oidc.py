"""A token of an issuer is taken if it is signed with a published key, for this service and for now; else never."""

import asyncio
import base64
import hashlib
import hmac
import json
import logging
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import RSAAlgorithm

from eremite.errors import InputError
from eremite.service import oidc_keys
from eremite.service.errors import IssuerUnavailable, TokenRefused
from eremite.service.identity import Proof, grant_now, proof_of
from eremite.service.oidc import Oidc, OidcGrant, read_oidc
from eremite.service.oidc_keys import FETCH_PAUSE, FRESH_SECONDS, KeyRing, parse_keys
from eremite.service.oidc_settings import (
    ALGORITHMS,
    AccountClaim,
    CustodianClaim,
    DatasetsClaim,
    OidcSettings,
    is_safe_address,
    read_settings,
)
from tests.unit.service.issuer import AUDIENCE, NOW, Issuer, certificate, drip, jwk, private_key, running_issuer, send


class Clock:
    """A clock that is moved by hand."""

    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with running_issuer() as running:
        yield running


def settings(issuer: Issuer, **more: Any) -> OidcSettings:
    usual = {
        "issuer": issuer.address,
        "audience": AUDIENCE,
        "datasets": {"claim": "groups", "values": {"icu": ["patients"], "pay": ["wages", "patients"]}},
        "custodian": {"claim": ["realm_access", "roles"], "value": "custodian"},
    }
    return OidcSettings.model_validate(usual | more)


def oidc(issuer: Issuer, clock: Clock | None = None, **more: Any) -> Oidc:
    chosen = settings(issuer, **more)
    return Oidc(chosen, KeyRing(chosen, clock or Clock(0)), Clock(NOW))


def granted(checked: Oidc, token: str) -> OidcGrant:
    return asyncio.run(checked.grant(token))


def refusal(checked: Oidc, token: str) -> str:
    with pytest.raises(TokenRefused) as error:
        granted(checked, token)
    return str(error.value).removeprefix("This token of the identity provider is refused: ").rstrip(".")


def encoded(part: Any) -> str:
    raw = part if isinstance(part, bytes) else json.dumps(part).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


# --- what is taken


@pytest.mark.parametrize("kind", ALGORITHMS)
def test_token_of_each_algorithm_is_taken(issuer: Issuer, kind: str) -> None:
    issuer.keys = [jwk("other"), jwk("mine", kind)]
    grant = granted(oidc(issuer), issuer.token("mine", kind))
    assert (grant.name, grant.account, grant.datasets, grant.custodian) == ("alice", "alice", ("patients",), False)
    assert (grant.issuer, grant.audience, grant.expires_at) == (issuer.address, AUDIENCE, NOW + 300)


def test_keys_are_found_by_discovery_or_at_a_given_address(issuer: Issuer) -> None:
    granted(oidc(issuer), issuer.token())
    assert issuer.asked == ["/.well-known/openid-configuration", "/keys"]
    issuer.asked.clear()
    granted(oidc(issuer, jwks=f"{issuer.address}/keys"), issuer.token())
    assert issuer.asked == ["/keys"]


@pytest.mark.parametrize("kind", ["at+jwt", "JWT", "application/at+jwt"])
def test_types_of_access_tokens_are_taken(issuer: Issuer, kind: str) -> None:
    assert granted(oidc(issuer), issuer.token(headers={"typ": kind})).account == "alice"


@pytest.mark.parametrize(
    ("claims", "account", "datasets", "custodian"),
    [
        ({"sub": "bob"}, "sso:bob", ("patients",), False),
        ({"groups": "pay"}, "sso:alice", ("wages", "patients"), False),
        ({"groups": ["icu", "pay", 7, None, "icu"]}, "sso:alice", ("patients", "wages"), False),
        ({"realm_access": {"roles": ["custodian"]}}, "sso:alice", ("patients",), True),
        ({"realm_access": {"roles": "custodian"}}, "sso:alice", ("patients",), True),
        ({"realm_access": "custodian", "roles": ["custodian"]}, "sso:alice", ("patients",), False),
        ({"realm_access": {"roles": ["custodians", True]}}, "sso:alice", ("patients",), False),
        ({"aud": ["account", AUDIENCE]}, "sso:alice", ("patients",), False),
    ],
)
def test_claims_say_the_account_the_datasets_and_the_role(
    issuer: Issuer, claims: dict[str, Any], account: str, datasets: tuple[str, ...], custodian: bool
) -> None:
    grant = granted(oidc(issuer, account={"prefix": "sso:"}), issuer.token(**claims))
    assert (grant.account, grant.datasets, grant.custodian) == (account, datasets, custodian)


def test_claim_may_name_datasets_directly_and_everybody_may_have_some(issuer: Issuer) -> None:
    checked = oidc(issuer, datasets={"claim": "groups", "everybody": ["demo"]})
    assert granted(checked, issuer.token(groups=["patients", "a\nb", "x" * 201])).datasets == ("demo", "patients")
    assert granted(checked, issuer.token(groups=None)).datasets == ("demo",)


# --- what is refused


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        ({"iss": "https://elsewhere.example"}, "it is of another issuer"),
        ({"iss": None}, "it is of another issuer"),
        ({"aud": "other"}, "it is meant for another service"),
        ({"aud": ["other", ["eremite"]]}, "it is meant for another service"),
        ({"aud": None}, "it is meant for another service"),
        ({"exp": NOW - 60}, "it has expired"),
        ({"exp": NOW - 61}, "it has expired"),
        ({"nbf": NOW + 61}, "it is not valid yet"),
        ({"nbf": "soon"}, "it is not valid yet"),
        ({"iat": NOW + 61}, "it is not valid yet"),
        ({"iat": NOW - 86_400 - 60}, "it was made too long ago"),
        ({"exp": None}, "it does not say when it was made and when it expires (iat, exp)"),
        ({"exp": True}, "it does not say when it was made and when it expires (iat, exp)"),
        ({"exp": 10**400}, "it does not say when it was made and when it expires (iat, exp)"),
        ({"exp": float("inf")}, "it does not say when it was made and when it expires (iat, exp)"),
        ({"iat": None}, "it does not say when it was made and when it expires (iat, exp)"),
        ({"sub": None}, "it has no claim sub, which names the account"),
        ({"sub": ""}, "it has no claim sub, which names the account"),
        ({"sub": "a\nb"}, "its account is too long or not printable"),
        ({"sub": "a" * 201}, "its account is too long or not printable"),
        ({"groups": ["staff"]}, "it gives access to no dataset; ask the custodian"),
    ],
)
def test_token_with_claims_that_do_not_fit_is_refused(issuer: Issuer, claims: dict[str, Any], reason: str) -> None:
    headers = {"alg": "RS256", "kid": "one", "typ": "JWT"}
    signed = f"{encoded(headers)}.{encoded(issuer.claims(**claims))}"  # as PyJWT would refuse to write it
    signature = RSAAlgorithm(RSAAlgorithm.SHA256).sign(signed.encode(), private_key("one"))
    assert refusal(oidc(issuer), f"{signed}.{encoded(signature)}") == reason


@pytest.mark.parametrize("claims", [{"exp": NOW - 59}, {"nbf": NOW + 60}, {"iat": NOW + 60}])
def test_clocks_may_differ_by_the_skew(issuer: Issuer, claims: dict[str, Any]) -> None:
    assert granted(oidc(issuer), issuer.token(**claims)).account == "alice"
    assert refusal(oidc(issuer, skew=0), issuer.token(**claims))


def test_client_counts_where_clients_are_listed(issuer: Issuer) -> None:
    checked = oidc(issuer, clients=["notebook"])
    assert granted(checked, issuer.token(azp="notebook"))
    assert granted(checked, issuer.token(client_id="notebook"))
    for claims in ({"azp": "other"}, {"azp": "other", "client_id": "notebook"}, {}, {"azp": ["notebook"]}):
        assert refusal(checked, issuer.token(**claims)) == "it was given to another client"


def test_token_that_was_tampered_with_is_refused(issuer: Issuer) -> None:
    head, _, signature = issuer.token().split(".")
    forged = f"{head}.{encoded(issuer.claims(sub='boss'))}.{signature}"
    assert refusal(oidc(issuer), forged) == "its signature is not valid"


def test_token_of_another_key_under_a_known_name_is_refused(issuer: Issuer) -> None:
    forged = issuer.token("mallory", headers={"kid": "one"})
    assert refusal(oidc(issuer), forged) == "its signature is not valid"


def test_public_key_is_no_secret_to_sign_with(issuer: Issuer) -> None:
    public = private_key("one").public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    for secret in (public, public.strip(), json.dumps(jwk("one")).encode()):
        signed = f"{encoded({'alg': 'HS256', 'kid': 'one', 'typ': 'JWT'})}.{encoded(issuer.claims())}"
        signature = hmac.new(secret, signed.encode(), hashlib.sha256).digest()
        reason = refusal(oidc(issuer), f"{signed}.{encoded(signature)}")
        assert reason == "it is not signed with an algorithm that is allowed here"


@pytest.mark.parametrize("algorithm", ["none", "None", "NONE", "", None, ["RS256"], "RS512", "HS256"])
def test_algorithm_that_is_not_listed_is_refused(issuer: Issuer, algorithm: Any) -> None:
    _, claims, signature = issuer.token().split(".")
    forged = f"{encoded({'alg': algorithm, 'kid': 'one'})}.{claims}.{signature}"
    assert refusal(oidc(issuer), forged) == "it is not signed with an algorithm that is allowed here"
    assert refusal(oidc(issuer), forged.rsplit(".", 1)[0] + ".") == "it is no signed token of three parts"
    assert issuer.asked == []


def test_allowed_algorithm_with_a_key_of_another_kind_is_refused(issuer: Issuer) -> None:
    issuer.keys = [jwk("one"), jwk("curve", "ES256"), jwk("narrow", alg="PS256")]
    checked = oidc(issuer)
    for name, kind in (("one", "ES256"), ("curve", "RS256"), ("narrow", "RS256"), ("one", "EdDSA")):
        forged = issuer.token(f"{name} {kind}", kind, headers={"kid": name})
        assert refusal(checked, forged) == "its issuer publishes no such key"
    assert granted(checked, issuer.token("one", "PS256")).account == "alice"
    assert granted(checked, issuer.token("narrow", "PS256")).account == "alice"


def test_algorithm_that_the_settings_leave_out_is_refused(issuer: Issuer) -> None:
    checked = oidc(issuer, algorithms=["ES256"])
    assert refusal(checked, issuer.token()) == "it is not signed with an algorithm that is allowed here"


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ({"crit": ["exp"], "exp": 1}, "its header demands an extension that is not known here"),
        ({"b64": False, "crit": ["b64"]}, "its header demands an extension that is not known here"),
        ({"typ": "logout+jwt"}, "it is of a type for other purposes"),
        ({"typ": "dpop+jwt"}, "it is of a type for other purposes"),
        ({"typ": 7}, "it is of a type for other purposes"),
        ({"kid": None}, "it does not name the key (kid) that it is signed with"),
        ({"kid": ""}, "it does not name the key (kid) that it is signed with"),
        ({"kid": "k" * 201}, "it does not name the key (kid) that it is signed with"),
    ],
)
def test_header_that_does_not_fit_is_refused_before_keys_are_fetched(
    issuer: Issuer, headers: dict[str, Any], reason: str
) -> None:
    _, claims, signature = issuer.token().split(".")
    head = {name: value for name, value in ({"alg": "RS256", "kid": "one"} | headers).items() if value is not None}
    told = refusal(oidc(issuer), f"{encoded(head)}.{claims}.{signature}")
    assert told in (reason, "it is not signed with an algorithm that is allowed here")
    assert issuer.asked == []


@pytest.mark.parametrize(
    "token",
    [
        ".",
        "..",
        "a.b",
        "a.b.c.d",
        "a.b.c",
        "ä.b.c",
        "a.b.c\n",
        ".".join(["e30"] * 3),
        encoded(b"[" * 4000) + ".e30.e30",
    ],
)
def test_what_is_no_token_is_refused(issuer: Issuer, token: str) -> None:
    assert refusal(oidc(issuer), token)
    assert issuer.asked == []


def test_token_that_is_too_long_is_refused(issuer: Issuer) -> None:
    assert refusal(oidc(issuer), issuer.token(more="x" * 9000)) == "it has more than 8,192 characters"


def test_key_that_a_token_brings_along_is_not_looked_at(issuer: Issuer) -> None:
    with running_issuer() as mallory:
        mallory.keys = [jwk("mallory")]
        for brought in (
            {"jku": f"{mallory.address}/keys"},
            {"x5u": f"{mallory.address}/keys"},
            {"jwk": jwk("mallory")},
            {"x5c": ["MII"]},
        ):
            forged = issuer.token("mallory", headers=brought | {"kid": "one"})
            assert refusal(oidc(issuer), forged) == "its signature is not valid"
        assert mallory.asked == []


# --- keys


def test_keys_are_fetched_once_and_again_when_they_were_rotated(issuer: Issuer) -> None:
    clock = Clock(0)
    checked = oidc(issuer, clock)
    for _ in range(3):
        granted(checked, issuer.token())
    assert issuer.asked.count("/keys") == 1
    issuer.keys = [jwk("two")]
    clock.now += FETCH_PAUSE
    assert granted(checked, issuer.token("two")).account == "alice"
    assert refusal(checked, issuer.token()) == "its issuer publishes no such key"
    assert issuer.asked.count("/keys") == 2


def test_names_that_are_made_up_lead_to_one_fetch_in_a_while(issuer: Issuer) -> None:
    clock = Clock(0)
    checked = oidc(issuer, clock)
    for number in range(20):
        clock.now = number * FETCH_PAUSE / 10
        refusal(checked, issuer.token(headers={"kid": f"made up {number}"}))
    assert issuer.asked.count("/keys") == 2
    assert granted(checked, issuer.token())


def test_requests_at_once_share_a_fetch(issuer: Issuer) -> None:
    checked = oidc(issuer)

    async def crowd() -> list[OidcGrant]:
        return await asyncio.gather(*(checked.grant(issuer.token()) for _ in range(10)))

    assert {grant.account for grant in asyncio.run(crowd())} == {"alice"}
    assert issuer.asked.count("/keys") == 1


def test_key_that_was_withdrawn_is_forgotten_after_an_hour(issuer: Issuer) -> None:
    clock = Clock(0)
    checked = oidc(issuer, clock)
    granted(checked, issuer.token())
    issuer.keys = [jwk("two")]
    clock.now = FRESH_SECONDS - 1
    assert granted(checked, issuer.token())
    clock.now = FRESH_SECONDS
    assert refusal(checked, issuer.token()) == "its issuer publishes no such key"


def test_keys_are_kept_for_a_bounded_time_while_the_issuer_is_down(
    issuer: Issuer, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Clock(0)
    checked = oidc(issuer, clock, keys_kept_for=7200)
    granted(checked, issuer.token())
    issuer.respond = lambda handler: send(handler, b"out of order", 503)
    for now in (FRESH_SECONDS, FRESH_SECONDS + FETCH_PAUSE, 7200):
        clock.now = now
        assert granted(checked, issuer.token()).account == "alice"
    clock.now = 7201
    with pytest.raises(IssuerUnavailable):
        granted(checked, issuer.token())
    assert [record.levelno for record in caplog.records] == [logging.ERROR]  # told once
    issuer.respond = None
    clock.now += FETCH_PAUSE
    assert granted(checked, issuer.token()).account == "alice"


def _huge(handler: Any) -> None:
    send(handler, json.dumps({"keys": [jwk("one")], "more": "x" * oidc_keys.MAX_BYTES}).encode())


def _redirect(handler: Any) -> None:
    send(handler, b"", 302, Location="/keys")


@pytest.mark.parametrize(
    "respond",
    [
        _huge,
        drip,
        _redirect,
        lambda handler: time.sleep(2),
        lambda handler: send(handler, b"[]"),
        lambda handler: send(handler, b'{"keys": 7}'),
        lambda handler: send(handler, b"[" * 10**5),
        lambda handler: handler.wfile.write(b"nonsense\r\n\r\n"),
    ],
    ids=["huge", "byte by byte", "elsewhere", "silent", "a list", "no keys", "deep", "not HTTP"],
)
def test_issuer_that_answers_badly_is_unavailable_soon(
    issuer: Issuer, respond: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oidc_keys, "FETCH_SECONDS", 0.3)
    issuer.respond = respond
    began = time.monotonic()
    with pytest.raises(IssuerUnavailable):
        granted(oidc(issuer, jwks=f"{issuer.address}/keys"), issuer.token())
    assert time.monotonic() - began < 1.5


def test_issuer_over_https_needs_a_certificate_that_is_trusted(tmp_path: Path) -> None:
    pem = certificate(tmp_path)
    with running_issuer(pem) as issuer:
        assert granted(oidc(issuer, ca_file=str(pem)), issuer.token()).account == "alice"
        issuer.asked.clear()
        with pytest.raises(IssuerUnavailable):
            granted(oidc(issuer), issuer.token())
        assert issuer.asked == []


def test_event_loop_goes_on_while_keys_are_fetched(issuer: Issuer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oidc_keys, "FETCH_SECONDS", 0.3)
    issuer.respond = drip

    async def count() -> int:
        asked, beats = asyncio.ensure_future(oidc(issuer).grant(issuer.token())), 0
        while not asked.done():
            await asyncio.sleep(0.01)
            beats += 1
        with pytest.raises(IssuerUnavailable):
            await asked
        return beats

    assert asyncio.run(count()) > 5


@pytest.mark.parametrize(
    "facts",
    [
        {"issuer": "https://other.example", "jwks_uri": "{}/keys"},
        {"jwks_uri": "{}/keys"},
        {"issuer": "{}"},
        {"issuer": "{}", "jwks_uri": "http://keys.example/keys"},
        {"issuer": "{}", "jwks_uri": "file:///etc/passwd"},
    ],
)
def test_configuration_that_leads_astray_is_not_followed(issuer: Issuer, facts: dict[str, str]) -> None:
    filled = {name: text.replace("{}", issuer.address) for name, text in facts.items()}
    issuer.respond = lambda handler: send(handler, json.dumps(filled).encode())
    with pytest.raises(IssuerUnavailable):
        granted(oidc(issuer), issuer.token())
    assert len(issuer.asked) == 1


def test_keys_for_other_uses_secret_keys_and_broken_keys_are_left_out() -> None:
    small = rsa.generate_private_key(public_exponent=65537, key_size=1024).public_key()  # noqa: S505
    listed = [
        jwk("encryption", use="enc"),
        jwk("wrapping", key_ops=["wrapKey"]),
        RSAAlgorithm.to_jwk(private_key("one"), as_dict=True) | {"kid": "private"},
        {"kid": "secret", "kty": "oct", "k": "c2VjcmV0", "alg": "RS256"},
        RSAAlgorithm.to_jwk(small, as_dict=True) | {"kid": "small"},
        jwk("long") | {"n": "A" * 5000},
        jwk("broken") | {"n": 7},
        {name: value for name, value in jwk("nameless").items() if name != "kid"},
        jwk("curve", "ES256") | {"crv": "P-521"},
        "text",
        jwk("good"),
    ]
    assert set(parse_keys({"keys": listed}, ALGORITHMS)) == {("good", "RS256"), ("good", "PS256")}


# --- the file


FILE = """
issuer = "https://login.example.org/realms/hospital"
audience = "eremite"
[datasets]
claim = "groups"
values = { icu = ["patients"] }
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "oidc.toml"
    path.write_text(text)
    path.chmod(0o600)
    return path


def test_file_is_read(tmp_path: Path) -> None:
    read = read_oidc(write(tmp_path, FILE + '[custodian]\nclaim = ["realm_access", "roles"]\nvalue = "x"')).settings
    assert (read.algorithms, read.skew, read.queued_for) == (ALGORITHMS, 60, 3600)
    assert read.account.claim == ("sub",)
    assert read.datasets.values == {"icu": ("patients",)}
    assert read.custodian is not None
    assert read.custodian.claim == ("realm_access", "roles")


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("https:", "http:", "In {}, issuer must be an address with https:// (http:// on this machine alone), "),
        ("audience", "audiences", "{} has no audience; docs/how-to/oidc.md has an example."),
        (
            "[datasets]",
            'algorithms = ["HS256"]\n[datasets]',
            "In {}, algorithms must be of RS256, PS256, ES256, EdDSA.",
        ),
        ("[datasets]", 'algorithms = ["none"]\n[datasets]', "In {}, algorithms must be of RS256, PS256, ES256, EdDSA."),
        ("[datasets]", "algorithms = []\n[datasets]", "In {}, algorithms must not be empty."),
        ("[datasets]", "skew = 601\n[datasets]", "In {}, skew must be at most 600."),
        ("[datasets]", 'skew = "1"\n[datasets]', "In {}, skew must be a whole number of seconds."),
        ("[datasets]", "secret = 1\n[datasets]", "{} has the unknown key secret; remove it, "),
        (
            "[datasets]",
            'ca_file = "no.pem"\n[datasets]',
            "In {}, ca_file must be a file of certificates; no.pem is none.",
        ),
        ('claim = "groups"', "", "In {}, datasets needs a claim, or a list of datasets for everybody."),
        ('["patients"]', '["a\\nb"]', "In {}, datasets.values.icu must be the names of datasets, "),
        ('audience = "eremite"', "audience = ", "{} is not valid TOML at line 3, column 12; correct the syntax there."),
    ],
)
def test_file_that_does_not_fit_is_told_in_one_sentence(tmp_path: Path, before: str, after: str, sentence: str) -> None:
    path = write(tmp_path, FILE.replace(before, after))
    with pytest.raises(InputError) as error:
        read_settings(path)
    assert str(error.value).startswith(sentence.format(path))


def test_file_that_is_missing_or_that_others_may_write_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        read_settings(tmp_path / "oidc.toml")
    path = write(tmp_path, FILE)
    path.chmod(0o666)
    with pytest.raises(InputError, match="can be written by others"):
        read_settings(path)


@pytest.mark.parametrize(
    ("address", "safe"),
    [
        ("https://login.example.org/keys", True),
        ("http://127.0.0.1:8080/keys", True),
        ("http://[::1]:8080", True),
        ("http://localhost/keys", True),
        ("http://localhost.example.org", False),
        ("http://127.0.0.1.example.org", False),
        ("http://login.example.org", False),
        ("https://user:word@login.example.org", False),
        ("https://", False),
        ("https://a b", False),
        ("https://a:99999999", False),
        ("https://a/?x=1", False),
        ("ftp://login.example.org", False),
        ("login.example.org", False),
        (None, False),
    ],
)
def test_addresses_of_keys_are_of_https_or_of_this_machine(address: object, safe: bool) -> None:
    assert is_safe_address(address) == safe


def test_documented_file_is_read_and_every_key_is_documented(tmp_path: Path) -> None:
    words = (Path(__file__).parents[3] / "docs" / "how-to" / "oidc.md").read_text()
    read = read_settings(write(tmp_path, words.split("```toml\n")[1].split("```")[0]))
    assert read.account.prefix == "sso:"
    assert read.datasets.values is not None
    assert read.datasets.values["/finance"] == ("wages", "pensions")
    sections = {"account": AccountClaim, "datasets": DatasetsClaim, "custodian": CustodianClaim}
    keys = [name for name in OidcSettings.model_fields if name not in sections]
    keys += [f"{section}.{name}" for section, record in sections.items() for name in record.model_fields]
    assert [key for key in keys if f"`{key}`" not in words] == []


# --- questions that wait


def test_proof_of_a_waiting_question_holds_until_the_token_expired_and_a_while_longer(
    issuer: Issuer, tmp_path: Path
) -> None:
    checked = oidc(issuer)
    proof = Proof.from_json(json.loads(json.dumps(proof_of(granted(checked, issuer.token())).to_json())))
    clock = Clock(NOW)
    later = Oidc(settings(issuer), clock=clock)
    tokens = tmp_path / "none.json"  # is not looked at
    for seconds, while_waiting, otherwise in (
        (0, True, True),
        (359, True, True),
        (360, True, False),
        (3899, True, False),
    ):
        clock.now = NOW + seconds
        assert (grant_now(tokens, proof, later) == proof.granted) == while_waiting
        assert (grant_now(tokens, proof, later, waiting=False) is not None) == otherwise
    clock.now = NOW + 300 + 3600
    assert grant_now(tokens, proof, later) is None


def test_proof_does_not_outlive_its_issuer(issuer: Issuer, tmp_path: Path) -> None:
    proof = proof_of(granted(oidc(issuer), issuer.token()))
    assert grant_now(tmp_path, proof, oidc(issuer)) is not None
    assert grant_now(tmp_path, proof) is None
    for change in ({"issuer": "https://login.example.org"}, {"audience": "another"}):
        changed = settings(issuer).model_copy(update=change)
        assert grant_now(tmp_path, proof, Oidc(changed, clock=Clock(NOW))) is None


def test_proof_holds_no_token(issuer: Issuer) -> None:
    token = issuer.token()
    written = json.dumps(proof_of(granted(oidc(issuer), token)).to_json())
    assert not any(part in written for part in token.split("."))


def test_age_bounds_how_long_a_proof_holds(issuer: Issuer) -> None:
    grant = granted(oidc(issuer, max_age=100), issuer.token(exp=NOW + 10**6))
    assert grant.expires_at == NOW - 10 + 100


def test_library_would_take_nothing_that_is_not_listed() -> None:
    from eremite.service.oidc import _JWS

    assert set(_JWS.get_algorithms()) == set(ALGORITHMS)
    assert {"none", "HS256"} <= set(jwt.PyJWS().get_algorithms())
