"""Tokens are kept as hashes, in a file that only its owner reads, and are valid until they expire."""

import re
import signal
import subprocess
import sys
import time
from datetime import date
from pathlib import Path
from threading import Event, Thread

import pytest

from eremite.errors import InputError
from eremite.service import tokens
from eremite.service.tokens import Grant, change_grants, find_grant, hash_of, new_token, read_grants, tokens_readable

TOKEN = "Zm9yIHRoZSB0ZXN0cyBvbmx5"  # noqa: S105
ALICE = Grant(name="alice", account="research", datasets=("patients",), expires=date(2027, 1, 31), hash=hash_of(TOKEN))
BOSS = Grant(name="boss", account="house", datasets=("patients", "wages"), custodian=True, hash=hash_of("other"))


def test_tokens_are_long_and_all_different() -> None:
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert all(re.fullmatch(r"[\w-]{43}", token) for token in tokens)  # 256 bits, six a letter


@pytest.mark.parametrize(
    ("token", "today", "found"),
    [
        (TOKEN, date(2027, 1, 31), ALICE),
        (TOKEN, date(2027, 2, 1), None),
        ("other", date(2999, 1, 1), BOSS),
        (TOKEN[:-1], date(2027, 1, 1), None),
        (hash_of(TOKEN), date(2027, 1, 1), None),
        ("", date(2027, 1, 1), None),
    ],
)
def test_grant_is_found_by_the_token_alone_until_its_last_day(token: str, today: date, found: Grant | None) -> None:
    assert find_grant(token, [ALICE, BOSS], today) == found


def test_file_keeps_the_grants_and_no_token(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    change_grants(file, lambda grants: (*grants, ALICE))
    change_grants(file, lambda grants: (*grants, BOSS))
    assert read_grants(file) == (ALICE, BOSS)
    assert TOKEN not in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [file]


def test_change_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    change_grants(file, lambda _: (ALICE,))

    def refuse(grants: tuple[Grant, ...]) -> tuple[Grant, ...]:
        raise InputError("No.")

    with pytest.raises(InputError, match=r"No\."):
        change_grants(file, refuse)
    assert read_grants(file) == (ALICE,)
    assert list(tmp_path.iterdir()) == [file]


def test_two_changes_at_once_are_not_mixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_LOCK_SECONDS", 0)
    file = tmp_path / "tokens.json"

    def meanwhile(grants: tuple[Grant, ...]) -> tuple[Grant, ...]:
        with pytest.raises(InputError, match="another eremite token is at work"):
            change_grants(file, lambda _: (BOSS,))
        return (*grants, ALICE)

    change_grants(file, meanwhile)
    assert read_grants(file) == (ALICE,)


def test_change_waits_for_another_to_end(tmp_path: Path) -> None:
    file, under_way, ended = tmp_path / "tokens.json", Event(), []

    def slowly(grants: tuple[Grant, ...]) -> tuple[Grant, ...]:
        under_way.set()
        time.sleep(0.1)
        ended.append("first")
        return (*grants, ALICE)

    first = Thread(target=change_grants, args=(file, slowly))
    first.start()
    under_way.wait()
    change_grants(file, lambda grants: (*grants, BOSS))
    assert ended == ["first"]
    first.join()
    assert read_grants(file) == (ALICE, BOSS)
    assert list(tmp_path.iterdir()) == [file]


def test_draft_that_a_killed_change_left_hinders_no_other(tmp_path: Path) -> None:
    file, draft = tmp_path / "tokens.json", tmp_path / "tokens.json.new"
    change_grants(file, lambda _: (ALICE, BOSS))
    script = """
import os, pathlib, signal, sys
from eremite.service.tokens import change_grants
change_grants(pathlib.Path(sys.argv[1]), lambda _: os.kill(os.getpid(), signal.SIGKILL))
"""
    killed = subprocess.run([sys.executable, "-c", script, file], check=False)
    assert killed.returncode == -signal.SIGKILL
    draft.write_text("the beginning of something much longer than what comes, " * 100)
    change_grants(file, lambda _: (BOSS,))
    assert read_grants(file) == (BOSS,)
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("kind", ["link", "second name", "writable"])
def test_draft_that_another_user_may_have_put_there_is_not_written(tmp_path: Path, kind: str) -> None:
    file, draft, other = tmp_path / "tokens.json", tmp_path / "tokens.json.new", tmp_path / "other"
    other.write_text("precious")
    if kind == "link":
        draft.symlink_to(other)
    elif kind == "second name":
        draft.hardlink_to(other)
    else:
        draft.touch()
        draft.chmod(0o622)
    with pytest.raises(InputError, match=r"cannot be written|is no plain file|can be written by others"):
        change_grants(file, lambda _: (ALICE,))
    assert other.read_text() == "precious"
    assert not file.exists()


def test_tokens_are_readable_while_the_file_is_there_and_sound(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    assert not tokens_readable(file)
    change_grants(file, lambda _: (ALICE,))
    assert tokens_readable(file)
    file.write_text("{")
    assert not tokens_readable(file)


def test_change_that_is_done_leaves_the_next_one_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the replacement a draft is the next change's; removing it would bring a revoked token back."""
    file, replace = tmp_path / "tokens.json", Path.replace
    draft = tmp_path / "tokens.json.new"

    def replaced_and_next_begun(self: Path, target: Path) -> Path:
        done = replace(self, target)
        draft.write_text("another's")
        return done

    monkeypatch.setattr(Path, "replace", replaced_and_next_begun)
    change_grants(file, lambda _: (ALICE,))
    assert draft.read_text() == "another's"


def test_change_through_a_link_changes_the_file_that_a_service_reads(tmp_path: Path) -> None:
    kept, link = tmp_path / "kept.json", tmp_path / "tokens.json"
    change_grants(kept, lambda _: (ALICE, BOSS))
    link.symlink_to(kept)
    change_grants(link, lambda _: (BOSS,))
    assert link.is_symlink()
    assert read_grants(kept) == read_grants(link) == (BOSS,)


def test_links_in_a_circle_are_told(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.symlink_to(other)
    other.symlink_to(one)
    with pytest.raises(InputError, match="cannot be read"):
        read_grants(one)
    with pytest.raises(InputError, match="cannot be written"):
        change_grants(one, lambda _: (ALICE,))


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "null", '{"format": 2, "tokens": []}', '{"format": 1, "tokens": [{"name": "x"}]}', "[" * 10**5],
)
def test_file_that_is_none_of_ours_is_refused_in_a_sentence(tmp_path: Path, text: str) -> None:
    file = tmp_path / "tokens.json"
    file.write_text(text)
    with pytest.raises(InputError, match="is not a file that eremite token wrote"):
        read_grants(file)


def test_file_that_is_missing_or_open_to_others_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    with pytest.raises(InputError, match="does not exist; make a first token"):
        read_grants(file)
    change_grants(file, lambda _: (ALICE,))
    file.chmod(0o620)
    with pytest.raises(InputError, match="chmod 600"):
        read_grants(file)


@pytest.mark.parametrize("changed", [{"name": ""}, {"account": "a\nb"}, {"datasets": ()}, {"datasets": ("",)}])
def test_grant_is_valid_from_birth(changed: dict[str, object]) -> None:
    fields = {"name": "alice", "account": "a", "datasets": ("d",), "hash": hash_of("x")}
    with pytest.raises(InputError):
        Grant(**(fields | changed))  # type: ignore[arg-type]
