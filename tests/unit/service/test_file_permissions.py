"""A token file that others could write or replace is neither read nor changed."""

import os
import stat
import sys
from pathlib import Path

import pytest

from eremite.errors import InputError
from eremite.service.file_permissions import is_of_another, is_writable_by_others
from eremite.service.tokens import Grant, change_grants, hash_of, read_grants

ALICE = Grant(name="alice", account="research", datasets=("patients",), hash=hash_of("secret"))
FILE, FOLDER = stat.S_IFREG, stat.S_IFDIR
SOMEBODY = 12345


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A private file in a private folder."""
    (tmp_path / "kept").mkdir(mode=0o700)
    path = tmp_path / "kept" / "tokens.json"
    change_grants(path, lambda _: (ALICE,))
    return path


def refusals(path: Path) -> list[str]:
    """The errors of reading and of changing the tokens; neither may write anything."""
    said, before = [], sorted(path.parent.iterdir())
    for attempt in (lambda: read_grants(path), lambda: change_grants(path, lambda _: ())):
        try:
            attempt()
        except InputError as error:
            said.append(str(error))
    assert not said or sorted(path.parent.iterdir()) == before
    return said


@pytest.mark.parametrize(
    ("mode", "is_open"),
    [
        (FILE | 0o600, False),
        (FILE | 0o644, False),
        (FILE | 0o620, True),
        (FILE | 0o602, True),
        (FILE | 0o1602, True),  # the sticky bit does not protect a file
        (FOLDER | 0o755, False),
        (FOLDER | 0o775, True),
        (FOLDER | 0o757, True),
        (FOLDER | 0o2775, True),
        (FOLDER | 0o1777, False),
    ],
)
def test_what_group_or_others_may_write_is_open_but_for_sticky_folders(mode: int, is_open: bool) -> None:
    assert is_writable_by_others(mode) == is_open


@pytest.mark.parametrize(
    ("owner", "me", "another"),
    [(1000, 1000, False), (0, 1000, False), (0, 0, False), (1001, 1000, True), (1000, 0, True)],
)
def test_owner_other_than_me_and_root_is_another(owner: int, me: int, another: bool) -> None:
    assert is_of_another(owner, me) == another


def test_good_file_is_read_and_changed(file: Path) -> None:
    assert refusals(file) == []
    file.parent.chmod(0o1777)
    assert refusals(file) == []


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_file_that_others_may_write_is_refused(file: Path, mode: int) -> None:
    file.chmod(mode)
    sentence = f"{file} can be written by others, who could give themselves tokens; run: chmod 600 {file}"
    assert refusals(file) == [sentence, sentence]


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
def test_folder_that_others_may_write_is_refused(file: Path, mode: int) -> None:
    folder = file.parent
    folder.chmod(mode)
    sentence = f"{folder} can be written by others, who could give themselves tokens; run: chmod go-w {folder}"
    assert refusals(file) == [sentence, sentence]
    file.unlink()
    with pytest.raises(InputError, match="chmod go-w"):  # nor is a first token made there
        change_grants(file, lambda _: (ALICE,))
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("opened", ["kept", "between", "named"])
def test_all_folders_that_links_lead_through_are_looked_at(file: Path, tmp_path: Path, opened: str) -> None:
    for name, target in {"between": file, "named": "../between/tokens.json"}.items():
        (tmp_path / name).mkdir(mode=0o700)
        (tmp_path / name / "tokens.json").symlink_to(target)
    link = tmp_path / "named" / "tokens.json"
    assert refusals(link) == []
    (tmp_path / opened).chmod(0o777)
    assert [f"{opened} can be written" in said for said in refusals(link)] == [True, True]


@pytest.mark.parametrize("which", ["file", "folder"])
def test_file_or_folder_of_another_user_is_refused(file: Path, which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() == 0:
        os.chown(file if which == "file" else file.parent, SOMEBODY, -1)
    else:  # only root may give files away; others pretend to be another user
        monkeypatch.setattr(os, "geteuid", lambda: SOMEBODY)
    said = refusals(file)
    assert len(said) == 2
    assert all("belongs to another user, who could give themselves tokens; run eremite as" in each for each in said)


def test_windows_is_not_checked(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.chmod(0o666)
    monkeypatch.setattr(sys, "platform", "win32")
    assert refusals(file) == []
