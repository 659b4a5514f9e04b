"""Jobs: questions that wait, are computed, or have ended; and the file that keeps them over a restart.

A job is queued until its turn begins, then runs until the turn ends, and ends in one of four ways. Nothing in it tells
how far a computation is. The file holds what was asked and, for a while, what was answered; it is for its owner alone,
as whoever can write it could ask in another's name.
"""

import json
import os
import sqlite3
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from eremite.errors import InputError
from eremite.ledger.to_json import privacy_to_json
from eremite.privacy import Privacy
from eremite.service.file_permissions import require_private_file, require_private_folder
from eremite.service.identity import Proof

State = Literal["queued", "running", "done", "refused", "lost", "canceled"]

#: Jobs that ended are forgotten after this time. Releases stay in the ledger.
KEPT_FOR = timedelta(days=7)
#: Of a job; an identity provider makes a new token every hour or so.
_MOST_PROOFS = 8
_ENDED = ("done", "refused", "lost", "canceled")


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Why a job has no answer: status and sentence, and numbers where the budget refuses."""

    status: int
    sentence: str
    needed: Privacy | None = None
    remaining: Privacy | None = None

    def to_json(self) -> dict[str, Any]:
        """The body of the response."""
        numbers = {"needed": privacy_to_json(self.needed), "remaining": privacy_to_json(self.remaining)}
        return {"error": self.sentence} | (numbers if self.status == 409 else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A question that somebody asked, and what became of it. All of it is public to the account that asked."""

    id: str
    dataset: str
    account: str
    question: str
    request_id: str | None  # None for a forecast
    fingerprint: str  # identifies the question; empty for a forecast
    seconds: float  # about how long it takes, from public facts
    proofs: tuple[Proof, ...]  # of all who asked it, in order: tokens of one account
    asked_at: datetime
    state: State = "queued"
    answer: str | None = None  # JSON
    refusal: Refused | None = None

    @property
    def ended(self) -> bool:
        """Whether it will never change again."""
        return self.state in _ENDED

    def asked_too(self, other: "Job") -> "Job":
        """The same job once somebody else of the account has asked the same under the same id."""
        known = [proof for proof in self.proofs if proof not in other.proofs]
        return replace(self, proofs=(*known, *other.proofs)[-_MOST_PROOFS:])

    def to_json(self) -> dict[str, Any]:
        """The job as its account sees it."""
        fields: dict[str, Any] = {
            "id": self.id,
            "state": self.state,
            "dataset": self.dataset,
            "question": self.question,
            "request_id": self.request_id,
            "asked_at": self.asked_at.isoformat(),
        }
        if self.answer is not None:
            fields["answer"] = json.loads(self.answer)
        if self.refusal is not None:
            fields |= {"status": self.refusal.status} | self.refusal.to_json()
        return fields


_TABLE = """CREATE TABLE IF NOT EXISTS jobs (
    id TEXT PRIMARY KEY, dataset TEXT NOT NULL, account TEXT NOT NULL, question TEXT NOT NULL, request_id TEXT,
    fingerprint TEXT NOT NULL, seconds REAL NOT NULL, proof TEXT NOT NULL, asked_at TEXT NOT NULL, state TEXT NOT NULL,
    answer TEXT, refusal TEXT, body BLOB)"""
_INDEXES = (
    "CREATE INDEX IF NOT EXISTS jobs_of_account ON jobs (account, asked_at)",
    "CREATE INDEX IF NOT EXISTS jobs_by_request ON jobs (account, dataset, request_id)",
    "CREATE INDEX IF NOT EXISTS jobs_by_time ON jobs (asked_at)",
)
_FIELDS = "id, dataset, account, question, request_id, fingerprint, seconds, proof, asked_at, state, answer, refusal"
_LISTED = _FIELDS.replace("answer", "NULL")
_VERSION = 1


class JobFile:
    """Keeps jobs in an SQLite file that one service at a time has open.

    If the machine crashes, the last jobs may be missing: what was charged is in the ledger.
    """

    def __init__(self, path: Path | None) -> None:
        """Open the file, or make it; None keeps jobs in memory."""
        if path is None:
            self._file = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        else:
            self._file = _opened(path)
        self._file.execute(_TABLE)
        for index in _INDEXES:
            self._file.execute(index)
        self._file.execute(f"PRAGMA user_version = {_VERSION}")

    def add(self, job: Job, body: bytes) -> None:
        """Keep a new job and what was sent."""
        self._file.execute(f"INSERT INTO jobs VALUES ({', '.join('?' * 13)})", (*_row(job), body))  # noqa: S608

    def body(self, job: Job) -> bytes:
        """What was sent."""
        found = self._file.execute("SELECT body FROM jobs WHERE id = ?", (job.id,)).fetchone()
        return bytes(found[0])

    def update(self, job: Job) -> None:
        """Keep what became of a job; the body of one that ended is forgotten."""
        refusal = None if job.refusal is None else _refusal_text(job.refusal)
        body = ", body = NULL" if job.ended else ""
        self._file.execute(
            f"UPDATE jobs SET state = ?, answer = ?, refusal = ?, proof = ?{body} WHERE id = ?",  # noqa: S608
            (job.state, job.answer, refusal, _proofs_text(job.proofs), job.id),
        )

    def find(self, job_id: str) -> Job | None:
        """A job by its id."""
        found = self._file.execute(f"SELECT {_FIELDS} FROM jobs WHERE id = ?", (job_id,)).fetchone()  # noqa: S608
        return None if found is None else _job(found)

    def of_account(self, account: str, most: int) -> list[Job]:
        """The last jobs of an account, the newest first, without their answers, which can be long."""
        found = self._file.execute(
            f"SELECT {_LISTED} FROM jobs WHERE account = ? ORDER BY asked_at DESC, rowid DESC LIMIT ?",  # noqa: S608
            (account, most),
        )
        return [_job(row) for row in found.fetchall()]

    def answered(self, job: Job, release: str) -> Job | None:
        """The job that was done under the same request id with this release, if there is one.

        Another may have been done under the id, if the ledger was restored from an older copy since.
        """
        found = self._file.execute(
            f"SELECT {_FIELDS} FROM jobs "  # noqa: S608 -- constants
            "WHERE account = ? AND dataset = ? AND request_id = ? AND state = 'done' AND answer = ? LIMIT 1",
            (job.account, job.dataset, job.request_id, release),
        ).fetchone()
        return None if found is None else _job(found)

    def unended(self) -> list[Job]:
        """The jobs that wait, and those that ran when the service ended, in the order they were asked."""
        found = self._file.execute(
            f"SELECT {_FIELDS} FROM jobs WHERE state IN ('queued', 'running') ORDER BY rowid"  # noqa: S608
        )
        return [_job(row) for row in found.fetchall()]

    def forget(self, now: datetime) -> None:
        """Forget jobs that ended and were asked long ago."""
        before = (now - KEPT_FOR).isoformat()
        self._file.execute("DELETE FROM jobs WHERE state NOT IN ('queued', 'running') AND asked_at < ?", (before,))

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _opened(path: Path) -> sqlite3.Connection:
    try:
        require_private_folder(path)
        handle = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
        try:
            require_private_file(path, os.fstat(handle))
        finally:
            os.close(handle)
    except OSError as error:
        raise InputError(f"{path} cannot be opened ({error.strerror}); check its folder, or use --jobs.") from None
    file = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=1)
    try:
        file.execute("PRAGMA locking_mode = EXCLUSIVE")
        file.execute("PRAGMA synchronous = NORMAL")
        version = file.execute("PRAGMA user_version").fetchone()[0]
        names = {name for (name,) in file.execute("SELECT name FROM sqlite_master")}
        if version > _VERSION or (names and "jobs" not in names):
            raise InputError(f"{path} was not written by this version of eremite serve; move it away, or use --jobs.")
        file.execute("PRAGMA journal_mode = WAL")  # else each change of a job waits for the disk, in the event loop
        file.execute("BEGIN EXCLUSIVE")
        file.execute("COMMIT")
    except sqlite3.Error as error:
        file.close()
        busy = "locked" in str(error)
        why = "another eremite serve uses it" if busy else "it is no file of jobs"
        raise InputError(f"{path} cannot be used: {why}; give this service its own with --jobs.") from None
    return file


def _row(job: Job) -> tuple[Any, ...]:
    refusal = None if job.refusal is None else _refusal_text(job.refusal)
    asked = (job.id, job.dataset, job.account, job.question, job.request_id, job.fingerprint, job.seconds)
    return *asked, _proofs_text(job.proofs), job.asked_at.isoformat(), job.state, job.answer, refusal


def _job(row: tuple[Any, ...]) -> Job:
    job_id, dataset, account, question, request_id, fingerprint, seconds, proof, asked_at, state, answer, refusal = row
    return Job(
        id=job_id,
        dataset=dataset,
        account=account,
        question=question,
        request_id=request_id,
        fingerprint=fingerprint,
        seconds=seconds,
        proofs=_proofs(json.loads(proof)),
        asked_at=datetime.fromisoformat(asked_at),
        state=state,
        answer=answer,
        refusal=None if refusal is None else _refusal(json.loads(refusal)),
    )


def _proofs_text(proofs: tuple[Proof, ...]) -> str:
    return json.dumps([proof.to_json() for proof in proofs])


def _proofs(values: Any) -> tuple[Proof, ...]:
    """The proofs; a file of an older version has one of each job, without a list."""
    return tuple(Proof.from_json(one) for one in ([values] if isinstance(values, dict) else values))


def _refusal_text(refusal: Refused) -> str:
    numbers = [
        None if one is None else [str(one.epsilon), str(one.delta)] for one in (refusal.needed, refusal.remaining)
    ]
    return json.dumps([refusal.status, refusal.sentence, *numbers])


def _refusal(values: list[Any]) -> Refused:
    status, sentence, *numbers = values
    needed, remaining = (None if one is None else Privacy(Fraction(one[0]), Fraction(one[1])) for one in numbers)
    return Refused(status=status, sentence=sentence, needed=needed, remaining=remaining)
