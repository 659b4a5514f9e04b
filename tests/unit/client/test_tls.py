"""Certificates are checked, and what is not encrypted goes through no proxy."""

import json
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from threading import Thread

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

import eremite
from eremite import ServiceError

TOKEN = "a-secret-token"  # noqa: S105 -- no service takes it


class Handler(BaseHTTPRequestHandler):
    seen: list[str | None]

    def do_GET(self) -> None:
        self.seen.append(self.headers["Authorization"])
        content = json.dumps({"datasets": [{"name": "patients"}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(context: ssl.SSLContext | None = None) -> Iterator[tuple[int, list[str | None]]]:
    seen: list[str | None] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("One", (Handler,), {"seen": seen}))
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server.server_address[1], seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def certificate(folder: Path) -> tuple[Path, ssl.SSLContext]:
    """A certificate of this machine that signs itself, and a server's context with it."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "an institution")])
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    public, private = folder / "ca.pem", folder / "key.pem"
    public.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(public, private)
    return public, context


def test_a_certificate_must_be_trusted_before_the_token_is_sent(tmp_path: Path) -> None:
    authority, context = certificate(tmp_path)
    with served(context) as (port, seen):
        with pytest.raises(ServiceError, match="give its file with verify="):
            eremite.connect(f"https://127.0.0.1:{port}", token=TOKEN)
        assert seen == []
        with eremite.connect(f"https://127.0.0.1:{port}", token=TOKEN, verify=authority) as session:
            assert session.dataset == "patients"
        assert seen == [f"Bearer {TOKEN}"]


def test_what_is_not_encrypted_goes_through_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with served() as (proxy, overheard), served() as (port, seen):
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy}")
        eremite.connect(f"http://127.0.0.1:{port}", token=TOKEN).close()
        assert (overheard, seen) == ([], [f"Bearer {TOKEN}"])
