import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.db.models.functions import Now
from django.utils import timezone

from jobs.launch.lease import Lease, LeaseLost, Outcome, again, claim, wake
from jobs.models import Submission
from jobs.services import cancel_submission
from tenants.models import Role
from tests.factories import make_access
from tests.jobs.factories import make_submission

pytestmark = pytest.mark.django_db


def take(submission: Submission) -> Lease | None:
    return claim(Submission.objects.filter(pk=submission.pk))


def expire(submission: Submission) -> None:
    Submission.objects.filter(pk=submission.pk).update(lease_expires_at=Now() - timedelta(seconds=1))


def test_a_lease_is_for_one(settings) -> None:
    submission = make_submission()
    lease = take(submission)
    assert lease is not None and lease.submission.tries == 1
    assert take(submission) is None
    submission.refresh_from_db()
    left = submission.lease_expires_at - timezone.now()
    assert (
        timedelta(seconds=settings.LAUNCH_LEASE_SECONDS - 5) < left <= timedelta(seconds=settings.LAUNCH_LEASE_SECONDS)
    )


def test_a_lease_that_ran_out_is_taken_and_the_late_holder_writes_nothing() -> None:
    submission = make_submission()
    late = take(submission)
    expire(submission)
    present = take(submission)
    with pytest.raises(LeaseLost):
        late.renew()
    assert not late.record(Outcome({"send_error": "late"}))
    present.renew()
    assert present.record(Outcome({"send_error": "present"}))
    submission.refresh_from_db()
    assert (submission.send_error, submission.lease_token, submission.tries) == ("present", None, 2)


def test_a_cancel_that_came_meanwhile_waits_for_no_pause() -> None:
    submission = make_submission()
    lease = take(submission)
    access = make_access(submission.tenant, Role.OWNER)
    cancel_submission(access=access, submission=submission)
    assert lease.record(again(lease.submission, "not yet", least=60))
    assert take(submission).submission.cancel_requested_at


def test_renewing_moves_the_end() -> None:
    submission = make_submission()
    lease = take(submission)
    Submission.objects.filter(pk=submission.pk).update(lease_expires_at=Now() + timedelta(seconds=1))
    lease.renew()
    submission.refresh_from_db()
    assert submission.lease_expires_at > timezone.now() + timedelta(seconds=10)


@pytest.mark.parametrize(
    ("columns", "due"),
    [
        ({}, True),
        ({"next_try_at": Now() + timedelta(minutes=1)}, False),
        ({"next_try_at": Now() - timedelta(minutes=1)}, True),
        ({"sent_at": Now()}, False),
        ({"rejected_at": Now()}, False),
        ({"cancel_requested_at": Now()}, True),
        ({"sent_at": Now(), "cancel_requested_at": Now()}, True),
        ({"rejected_at": Now(), "cancel_requested_at": Now()}, True),
        ({"cancel_requested_at": Now(), "stopped_at": Now()}, False),
        ({"lease_expires_at": Now() + timedelta(seconds=9)}, False),
        ({"lease_expires_at": Now() - timedelta(seconds=1)}, True),
    ],
)
def test_what_is_due(columns: dict[str, object], due: bool) -> None:
    submission = make_submission()
    Submission.objects.filter(pk=submission.pk).update(**columns)
    assert Submission.objects.due().exists() == due


def test_who_never_tried_comes_first() -> None:
    tried, fresh = make_submission(), make_submission()
    Submission.objects.filter(pk=tried.pk).update(next_try_at=Now() - timedelta(minutes=1))
    assert claim(Submission.objects.all()).submission == fresh
    assert claim(Submission.objects.all()).submission == tried


def test_waking_ends_the_pause() -> None:
    submission = make_submission()
    Submission.objects.filter(pk=submission.pk).update(next_try_at=Now() + timedelta(minutes=1))
    assert take(submission) is None
    wake(submission.pk)
    assert take(submission) is not None


@pytest.mark.parametrize(("tries", "most"), [(1, 1), (3, 4), (5, 15), (40, 15), (41, 60), (10_000, 60)])
def test_pauses_grow_to_a_bound_and_differ(tries: int, most: float) -> None:
    submission = make_submission()
    Submission.objects.filter(pk=submission.pk).update(tries=tries - 1)
    lease = take(submission)
    pauses = set()
    for _ in range(20):
        lease.record(again(lease.submission, "away"))
        submission.refresh_from_db()
        pauses.add(round((submission.next_try_at - timezone.now()).total_seconds(), 2))
        Submission.objects.filter(pk=submission.pk).update(lease_token=lease.token)
    assert most / 2 - 1 < min(pauses) and max(pauses) <= most and len(pauses) > 5


@pytest.mark.django_db(transaction=True)
def test_of_ten_at_once_one_has_the_lease() -> None:
    submission = make_submission()
    start = threading.Barrier(10)

    def race(number: int) -> bool:
        try:
            start.wait(20)
            return claim(Submission.objects.filter(pk=submission.pk), skip_locked=number % 2 == 0) is not None
        finally:
            connection.close()

    with ThreadPoolExecutor(10) as pool:
        assert list(pool.map(race, range(10))).count(True) == 1


@pytest.mark.django_db(transaction=True)
def test_a_sweep_passes_over_what_another_is_claiming() -> None:
    busy, free = make_submission(), make_submission()

    def sweep() -> Submission:
        try:
            return claim(Submission.objects.all(), skip_locked=True).submission
        finally:
            connection.close()

    with transaction.atomic(), ThreadPoolExecutor(1) as pool:
        Submission.objects.select_for_update().get(pk=busy.pk)
        assert pool.submit(sweep).result(2) == free
