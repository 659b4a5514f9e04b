"""A token goes over TLS, or does not leave the machine; a dataset is chosen where there is a choice."""

import io

import pytest

import eremite
from eremite import InputError
from eremite.client.address import checked_address, checked_token
from eremite.client.connecting import chosen_dataset
from eremite.client.progress import StatusLine


@pytest.mark.parametrize("address", ["http://example.org", "http://10.0.0.1:8000", "http://localhost.example.org"])
def test_plain_http_to_elsewhere_is_refused(address):
    with pytest.raises(InputError, match="could read the token"):
        checked_address(address)
    assert checked_address(address, insecure=True) == address


@pytest.mark.parametrize(
    "address",
    ["https://example.org", "http://127.0.0.1:8000", "http://[::1]:8000", "http://localhost:1", "https://a/b"],
)
def test_these_addresses_are_taken(address):
    assert checked_address(f"{address}/") == address


@pytest.mark.parametrize("address", ["", "example.org", "ftp://a", "https://", "https://a?b", "https://a:b", None, 3])
def test_what_is_no_address_is_refused(address):
    with pytest.raises(InputError, match="written like"):
        checked_address(address)


def test_an_address_has_no_password():
    with pytest.raises(InputError, match="password") as caught:
        checked_address("https://me:secret@example.org")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("token", ["two words", "line\nbreak", "ümlaut", 3, "\x00"])
def test_a_broken_token_is_refused_and_not_repeated(token):
    with pytest.raises(InputError, match="copy it again") as caught:
        checked_token(token)
    assert str(token) not in str(caught.value)


def test_a_token_is_not_shown():
    assert "secret" not in repr(checked_token("secret"))


def test_a_token_is_needed(monkeypatch):
    monkeypatch.delenv("EREMITE_TOKEN", raising=False)
    with pytest.raises(InputError, match="EREMITE_TOKEN"):
        eremite.connect("https://example.org")


def test_the_file_of_an_authority_must_be_one(tmp_path):
    for verify in (tmp_path / "none.pem", False, True):
        with pytest.raises(InputError, match="verify must be"):
            eremite.connect("https://example.org", token="x", verify=verify)  # noqa: S106


def test_the_only_dataset_is_chosen():
    assert chosen_dataset(["patients"], None) == "patients"
    assert chosen_dataset(["patients", "wages"], "wages") == "wages"


def test_of_several_datasets_one_must_be_named():
    with pytest.raises(InputError, match="'patients' and 'wages'; choose one with dataset="):
        chosen_dataset(["patients", "wages"], None)
    with pytest.raises(InputError, match="'patients' and 'wages'; choose with dataset="):
        chosen_dataset(["patients", "wages"], "elsewhere")
    with pytest.raises(InputError, match="no datasets; tell the custodian"):
        chosen_dataset([], None)


def test_a_status_line_goes_away():
    file = io.StringIO()
    line = StatusLine(file)
    for state in ("queued", "running", "", ""):
        line(state)
    assert file.getvalue() == "\reremite: queued\reremite: running\r" + " " * 16 + "\r"
