"""Those who wait are written together, each decided by itself; a failure is only of whoever wrote."""

import os
from contextlib import ExitStack
from dataclasses import dataclass, replace

import pytest

from eremite import InputError
from eremite.ledger.batching import _MOST_AT_ONCE, Batches, Task
from eremite.ledger.chain import Head
from eremite.ledger.store import Account, Page

ALICE = Account("patients", "alice")
PAGE = Page(Head(), None, None)


@dataclass
class Refusing:
    def __call__(self, page):
        raise InputError("not like this")


def task(name, make=None):
    return Task(ALICE, name, make or (lambda page: (None, name)))


def decide_all(tasks):
    for each in tasks:
        each.decide(lambda: PAGE)


def test_all_who_wait_are_settled_together_and_answered_each_for_itself():
    line = Batches()
    with line.enqueued(task("a")) as a, line.enqueued(task("b", Refusing())) as b, line.enqueued(task("c")) as c:
        with line.batch(b) as tasks:
            assert tasks == [b, a, c]
            decide_all(tasks)
        assert (a.answer(), c.answer()) == ("a", "c")
        with pytest.raises(InputError, match="not like this"):
            b.answer()
        with line.batch(a) as tasks:
            assert tasks == []


def test_nobody_is_answered_before_the_commit():
    line = Batches()
    with line.enqueued(task("a")) as a, line.batch(a) as tasks:
        decide_all(tasks)
        with pytest.raises(RuntimeError):
            a.answer()


def fail(line, mine):
    with line.batch(mine) as tasks:
        decide_all(tasks)
        raise OSError


def test_after_a_failed_batch_each_tries_for_itself():
    """Whoever was taken out of the line, by a failure or an interrupt at any point, is in the batch it makes itself."""
    line = Batches()
    with line.enqueued(task("a")) as a, line.enqueued(task("b")) as b:
        with pytest.raises(OSError):  # noqa: PT011
            fail(line, a)
        assert not a.settled
        for each in (b, a):
            with line.batch(each) as tasks:
                assert tasks == [each]
                decide_all(tasks)
            assert each.answer() == each.request_id


def test_error_of_any_kind_is_that_of_the_request_alone():
    line = Batches()

    def odd(page):
        raise ValueError("5,000 digits")

    with line.enqueued(task("a")) as a, line.enqueued(task("b", odd)) as b:
        with line.batch(a) as tasks:
            decide_all(tasks)
        assert a.answer() == "a"
        with pytest.raises(ValueError, match="digits"):
            b.answer()


def test_whoever_gives_up_is_not_written():
    line = Batches()
    with line.enqueued(task("stays")) as stays:
        with pytest.raises(KeyboardInterrupt), line.enqueued(task("goes")):
            raise KeyboardInterrupt
        with line.batch(stays) as tasks:
            assert tasks == [stays]


def test_forked_process_does_not_write_what_the_parent_waits_for(monkeypatch):
    line = Batches()
    with line.enqueued(task("the parent's")):
        monkeypatch.setattr(os, "getpid", lambda: -1)
        with line.enqueued(replace(task("ours"), process=-1)) as ours, line.batch(ours) as tasks:
            assert tasks == [ours]


def test_batches_are_limited():
    line, sizes = Batches(), []
    with ExitStack() as stack:
        waiting = [stack.enter_context(line.enqueued(task(str(i)))) for i in range(_MOST_AT_ONCE + 1)]
        for _ in range(3):
            with line.batch(waiting[-1]) as tasks:
                sizes.append(len(tasks))
    assert sizes == [_MOST_AT_ONCE, 1, 0]
    assert all(each.settled for each in waiting)
