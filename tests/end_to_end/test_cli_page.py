"""`eremite page`: the file it writes, what it needs, and what it does not need."""

import pytest

from tests.end_to_end.command_line import refused, run, run_json

COUNT = ("count", "patients.toml", "-k", "3", "-r", "0.05", "--epsilon", "0.5")


@pytest.fixture
def asked(patients, capsys):
    """Alice and Bob asked, and the table is gone: a page needs the ledger alone."""
    for account in ("alice", "bob"):
        run(capsys, *COUNT, "--account", account, "--request-id", f"of-{account}")
    (patients / "patients.csv").unlink()
    return patients


def test_page_is_written_beside_the_description_and_spends_nothing(asked, capsys):
    before = run_json(capsys, "history", "patients.toml"), run_json(capsys, "budget", "patients.toml")
    assert run(capsys, "page", "patients.toml") == (0, "Wrote patients.html.\n", "")
    page = (asked / "patients.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert page.count("<svg") == 3
    assert "of-alice" in page
    assert "of-bob" in page
    assert "has epsilon 1 left of epsilon 2." in page
    assert (run_json(capsys, "history", "patients.toml"), run_json(capsys, "budget", "patients.toml")) == before


def test_page_of_an_account_or_an_id_has_nothing_else(asked, capsys):
    facts = run_json(capsys, "page", "patients.toml", "--account", "alice", "-o", "alice.html")
    assert facts == {"file": "alice.html", "dataset": "patients", "account": "alice", "request_id": None}
    page = (asked / "alice.html").read_text()
    assert "of-alice" in page
    assert "bob" not in page
    run(capsys, "page", "patients.toml", "--id", "of-bob", "--output", "bob.html")
    assert "of-alice" not in (asked / "bob.html").read_text()


def test_page_replaces_an_older_page_and_no_other_file(asked, capsys):
    for _ in range(2):
        run(capsys, "page", "patients.toml")
    (asked / "patients.html").write_text("a page of mine")
    assert "was not written by eremite page" in refused(capsys, "page", "patients.toml")
    assert (asked / "patients.html").read_text() == "a page of mine"
    assert run(capsys, "page", "patients.toml", "-o", "patients.html")[0] == 0


@pytest.mark.parametrize("file", ["patients.toml", "patients.db"])
def test_page_never_replaces_a_description_or_a_ledger_even_if_named(asked, capsys, file):
    start = (asked / file).read_bytes()[:16]
    assert "was not written by eremite page" in refused(capsys, "page", "patients.toml", "-o", file)
    assert (asked / file).read_bytes()[:16] == start


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--id", "none"), "under the id 'none'"),
        (("--account", "carol"), "Account 'carol' has asked nothing of 'patients'"),
        (("-o", "none/page.html"), "No such file or directory"),
        (("--ledger", "other.db"), "is not there"),
    ],
)
def test_page_that_cannot_be_is_refused_in_a_sentence(asked, capsys, options, sentence):
    assert sentence in refused(capsys, "page", "patients.toml", *options)
    assert not (asked / "patients.html").exists()
