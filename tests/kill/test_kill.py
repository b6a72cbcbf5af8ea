"""200 submissions while everything but PostgreSQL is killed again and again: none is lost, none is made twice."""

import logging
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from portal.management.smoke.browser import Browser
from portal.management.smoke.rest import Rest
from portal.names import LABEL_SUBMISSION
from tests.kill.clients import Answers, submit_all
from tests.kill.killer import Killer
from tests.kill.stack import Stack, running_stack
from tests.kill.victims import VICTIMS

pytestmark = pytest.mark.kill
SUBMISSIONS, PACED_SECONDS = 200, 150
KILLS, PAUSE_SECONDS = 5, 14
CREATED_SECONDS = 60
PERSON, TENANT, TEMPLATE = "engineer@premium.test", "premium", "pytorch-ddp"
SENT = "SELECT uid::text, object_uid FROM jobs_submission WHERE sent_at IS NOT NULL"


@pytest.fixture
def stack(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Iterator[Stack]:
    caplog.set_level(logging.WARNING, "httpx")  # else a line for each of thousands of requests
    with running_stack(tmp_path) as stack:
        yield stack


def test_nothing_is_lost_or_doubled(stack: Stack, capsys: pytest.CaptureFixture[str]) -> None:
    over = threading.Event()
    killers = [Killer(stack, victim, least=KILLS, pause=PAUSE_SECONDS, over=over) for victim in VICTIMS]
    began = time.monotonic()
    answers = _submit_under_fire(stack, killers, over)
    last_kill = max(moment for killer in killers for moment in killer.kills)
    created = _wait_until_created(stack, last_kill)
    with capsys.disabled():
        _print_figures(answers, killers, seconds=created - began, after=created - last_kill)
    assert [killer.fault for killer in killers if killer.fault] == []
    assert answers.faults == []
    assert {key: uids for key, uids in answers.uids.items() if len(uids) != 1} == {}
    assert min(len(killer.kills) for killer in killers) >= KILLS
    assert created - last_kill <= CREATED_SECONDS
    _count(stack, answers)
    with capsys.disabled():
        print(f"  0 lost, 0 doubled of {SUBMISSIONS}, as rows and by every uid that the sandbox ever gave")


def _submit_under_fire(stack: Stack, killers: list[Killer], over: threading.Event) -> Answers:
    browser = Browser(stack.url)
    with browser.http:
        browser.sign_in(PERSON, stack.credentials.passwords[PERSON])
        rest = Rest(stack.url, browser.make_token(TENANT, "kill tier"), TENANT)
    for killer in killers:
        killer.start()
    with rest.http:
        answers = submit_all(rest, TEMPLATE, SUBMISSIONS, PACED_SECONDS)
    over.set()
    for killer in killers:
        killer.join()
    return answers


def _wait_until_created(stack: Stack, last_kill: float) -> float:
    """The moment when every row said that it was sent, or when waiting longer would be a failure anyway."""
    while len(stack.rows(SENT)) < SUBMISSIONS and time.monotonic() - last_kill <= CREATED_SECONDS:
        time.sleep(0.5)
    return time.monotonic()


def _count(stack: Stack, answers: Answers) -> None:
    """Rows against what the clients were told, and against every uid that the sandbox ever gave."""
    told = {str(uid) for uids in answers.uids.values() for uid in uids}
    rows = {row["uid"]: row["object_uid"] for row in stack.rows(SENT)}
    all_rows = {row["uid"] for row in stack.rows("SELECT uid::text FROM jobs_submission")}
    made = [entry for entry in stack.journal() if entry["resource"] == "pytorchjobs.kubeflow.org"]
    objects = {entry["uid"]: entry["labels"][LABEL_SUBMISSION] for entry in made}
    doubled = {uid: count for uid, count in Counter(objects.values()).items() if count > 1}
    assert told == all_rows == set(rows), "lost or doubled as rows"
    assert len(rows) == SUBMISSIONS
    assert doubled == {}, "doubled as objects"
    assert {object_uid: uid for uid, object_uid in rows.items()} == objects, "lost or doubled as objects"


def _print_figures(answers: Answers, killers: list[Killer], *, seconds: float, after: float) -> None:
    print(f"\nKill tier: {len(answers.uids)} submissions, {answers.repeats} repeated calls, {seconds:.0f} s in all.")
    for killer in killers:
        slowest = max(killer.recoveries, default=0.0)
        print(f"  {killer.victim:<8} killed {len(killer.kills)} times, worked again after at most {slowest:.1f} s")
    print(f"  all created {after:.1f} s after the last kill")
