"""An identity provider that runs in this process: it publishes keys over HTTP and signs tokens."""

import json
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from threading import Thread
from typing import Any

import jwt
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

NOW = 1_800_000_000
AUDIENCE = "eremite"


def private_key(name: str, kind: str = "RS256") -> Any:
    """A key for each name, made once."""
    return _made(name, "RS256" if kind == "PS256" else kind)


@cache
def _made(name: str, kind: str) -> Any:
    if kind == "RS256":
        return rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return ec.generate_private_key(ec.SECP256R1()) if kind == "ES256" else ed25519.Ed25519PrivateKey.generate()


def jwk(name: str, kind: str = "RS256", **more: Any) -> dict[str, Any]:
    """The public key as an issuer publishes it."""
    turn = {"RS256": RSAAlgorithm, "PS256": RSAAlgorithm, "ES256": ECAlgorithm, "EdDSA": OKPAlgorithm}[kind]
    return turn.to_jwk(private_key(name, kind).public_key(), as_dict=True) | {"kid": name, "use": "sig"} | more


class Issuer:
    """What the issuer publishes, how it answers, and which addresses were asked for."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.keys = [jwk("one")]
        self.asked: list[str] = []
        self.respond: Callable[[BaseHTTPRequestHandler], None] | None = None

    def claims(self, **changed: Any) -> dict[str, Any]:
        """Valid claims, with changes; a change to None removes a claim."""
        usual = {
            "iss": self.address,
            "aud": AUDIENCE,
            "sub": "alice",
            "iat": NOW - 10,
            "exp": NOW + 300,
            "groups": ["icu", "staff"],
        }
        return {name: value for name, value in (usual | changed).items() if value is not None}

    def token(
        self, key: str = "one", kind: str = "RS256", headers: dict[str, Any] | None = None, **changed: Any
    ) -> str:
        """A token that is signed with a key."""
        header = {"kid": key} | (headers or {})
        return jwt.encode(self.claims(**changed), private_key(key, kind), kind, header)

    def documents(self) -> dict[str, Any]:
        """What it publishes, by path."""
        return {
            "/.well-known/openid-configuration": {"issuer": self.address, "jwks_uri": f"{self.address}/keys"},
            "/keys": {"keys": self.keys},
        }


def certificate(folder: Path) -> Path:
    """A file with a certificate for this machine, signed by itself, and its key."""
    key, name = private_key("tls", "ES256"), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "issuer")])
    today = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(today - timedelta(days=1))
        .not_valid_after(today + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, SHA256())
    )
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path = folder / "issuer.pem"
    path.write_bytes(made.public_bytes(Encoding.PEM) + secret)
    return path


@contextmanager
def running_issuer(pem: Path | None = None) -> Iterator[Issuer]:
    """An issuer on a free port of this machine; with a certificate, over https."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            issuer.asked.append(self.path)
            if issuer.respond is not None:
                issuer.respond(self)
            else:
                send(self, json.dumps(issuer.documents()[self.path]).encode())

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        server.block_on_close = False
        issuer = Issuer(f"{'http' if pem is None else 'https'}://127.0.0.1:{server.server_port}")
        if pem is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(pem)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield issuer
        server.shutdown()
        thread.join()


def send(handler: BaseHTTPRequestHandler, body: bytes, status: int = 200, **headers: str) -> None:
    """A whole response."""
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def drip(handler: BaseHTTPRequestHandler) -> None:
    """A response that comes byte by byte and does not end."""
    try:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n{")
        for _ in range(500):
            handler.wfile.write(b" ")
            time.sleep(0.02)
    except OSError:
        pass  # the other side has had enough
