import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from jobs.models import IdempotencyKey, StateChange, Submission
from jobs.services import cancel_submission, create_submission
from portal.errors import Conflict, Forbidden, Invalid, NotFound, PortalError
from tenants.access import Access
from tenants.models import AuditEntry, Role
from tests.factories import make_access, make_tenant
from tests.jobs.factories import INPUT, make_submission, make_submitter

ASKED: dict[str, Any] = {"template_slug": "pytorch-ddp", "title": "llama3-8b-finetune", "values": INPUT}


def submit(access: Access, key: str | None = None, **changes: object) -> tuple[Submission, bool]:
    return create_submission(access=access, idempotency_key=key, **ASKED | changes)


@pytest.fixture
def submitter(db: None) -> Access:
    return make_submitter("premium")


def test_a_submission_is_stored_with_what_will_be_sent(submitter: Access) -> None:
    submission, created = submit(submitter)
    submission.refresh_from_db()
    assert created and submission.state == Submission.State.SUBMITTED
    assert (submission.gpus, submission.replicas, submission.flavor) == (16, 4, "a100")
    assert submission.manifest["metadata"]["name"] == submission.job_name
    assert (submission.author, submission.tenant) == (submitter.user, submitter.tenant)
    entry = AuditEntry.objects.get(verb="submission.create")
    assert (entry.object_uid, entry.after["spec_hash"]) == (str(submission.uid), submission.spec_hash)


def test_the_same_key_and_body_is_the_first_submission(submitter: Access) -> None:
    first, created = submit(submitter, "key-1")
    again, created_again = submit(submitter, "key-1")
    assert (created, created_again, again.pk) == (True, False, first.pk)
    assert Submission.objects.count() == 1
    assert AuditEntry.objects.filter(verb="submission.create").count() == 1


def test_a_repeat_finds_the_first_one_even_when_it_would_now_be_refused(submitter: Access, settings) -> None:
    first, _created = submit(submitter, "key-1")
    settings.IMAGE_PREFIXES = ["elsewhere.example/"]
    assert submit(submitter, "key-1")[0].pk == first.pk


@pytest.mark.parametrize("change", [{"title": "other"}, {"values": INPUT | {"workers": 2}}, {"version": 1}])
def test_the_same_key_with_another_body_is_refused(submitter: Access, change: dict[str, object]) -> None:
    submit(submitter, "key-1")
    with pytest.raises(PortalError) as raised:
        submit(submitter, "key-1", **change)
    assert (raised.value.status, raised.value.code) == (422, "idempotency_key_reused")
    assert Submission.objects.count() == 1


def test_other_tenants_have_their_own_keys(submitter: Access) -> None:
    first, _created = submit(submitter, "key-1")
    second, created = submit(make_submitter("other"), "key-1")
    assert created and second.pk != first.pk


def test_a_refused_submission_leaves_its_key_free(submitter: Access) -> None:
    with pytest.raises(Invalid):
        submit(submitter, "key-1", title="")
    assert not IdempotencyKey.objects.exists()
    assert submit(submitter, "key-1")[1]


@pytest.mark.parametrize("key", ["", "x" * 129, "a\x00b", "a\nb"])
def test_a_key_has_a_form(submitter: Access, key: str) -> None:
    with pytest.raises(Invalid) as raised:
        submit(submitter, key)
    assert [error.path for error in raised.value.errors] == ["idempotency_key"]


def _deep() -> list:
    value: list = []
    for _ in range(100_000):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value", [_deep(), float("nan"), 10**5000, "\ud800", b"x"], ids=["deep", "nan", "huge", "surrogate", "bytes"]
)
@pytest.mark.parametrize("key", [None, "key-1"])
def test_no_value_is_an_internal_error(submitter: Access, key: str | None, value: object) -> None:
    for values in (INPUT | {"workers": value}, INPUT | {"model": value}, INPUT | {"arguments": [value]}, value):
        with pytest.raises(Invalid):
            submit(submitter, key, values=values)
    assert not Submission.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_ten_at_once_with_one_key_are_one_submission() -> None:
    access = make_submitter("premium")
    start = threading.Barrier(10)

    def post(_number: int) -> tuple[int, bool]:
        try:
            start.wait(20)
            submission, created = submit(access, "key-1")
            return submission.pk, created
        finally:
            connection.close()

    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(post, range(10)))
    assert len({pk for pk, _created in answers}) == 1
    assert [created for _pk, created in answers].count(True) == 1
    assert Submission.objects.count() == 1
    assert AuditEntry.objects.filter(verb="submission.create").count() == 1


@pytest.mark.django_db(transaction=True)
def test_without_a_broker_it_is_stored_all_the_same() -> None:
    """The hint of tests/conftest's Redis is lost too: nobody consumes it. The row is what counts."""
    submission = make_submission()
    assert Submission.objects.due().get() == submission


def test_an_author_cancels(submitter: Access) -> None:
    submission = make_submission(submitter)
    cancelled = cancel_submission(access=submitter, submission=submission)
    assert cancelled.cancel_requested_by == submitter.user
    assert cancelled.state == Submission.State.STOPPING
    assert StateChange.objects.filter(submission=submission, state="stopping").count() == 1
    entry = AuditEntry.objects.get(verb="submission.cancel")
    assert (entry.actor, entry.object_uid) == (submitter.user, str(submission.uid))


def test_cancelling_again_changes_nothing(submitter: Access) -> None:
    submission = make_submission(submitter)
    first = cancel_submission(access=submitter, submission=submission).cancel_requested_at
    owner = make_access(submitter.tenant, Role.OWNER)
    again = cancel_submission(access=owner, submission=submission)
    assert (again.cancel_requested_at, again.cancel_requested_by) == (first, submitter.user)
    assert AuditEntry.objects.filter(verb="submission.cancel").count() == 1


def test_an_owner_cancels_and_another_submitter_does_not(submitter: Access) -> None:
    submission = make_submission(submitter)
    with pytest.raises(Forbidden, match="Only an owner of premium"):
        cancel_submission(access=make_access(submitter.tenant), submission=submission)
    owner = make_access(submitter.tenant, Role.OWNER)
    assert cancel_submission(access=owner, submission=submission).cancel_requested_by == owner.user


def test_an_author_who_may_only_look_now_does_not_cancel(submitter: Access) -> None:
    submission = make_submission(submitter)
    demoted = make_access(submitter.tenant, Role.VIEWER, submitter.user)
    with pytest.raises(Forbidden):
        cancel_submission(access=demoted, submission=submission)


def test_another_tenants_submission_is_not_there(submitter: Access) -> None:
    outsider = make_access(make_tenant(), Role.OWNER)
    with pytest.raises(NotFound):
        cancel_submission(access=outsider, submission=make_submission(submitter))


@pytest.mark.parametrize("state", Submission.FINISHED)
def test_what_has_ended_is_not_cancelled(submitter: Access, state: str) -> None:
    submission = make_submission(submitter)
    Submission.objects.filter(pk=submission.pk).update(state=state)
    with pytest.raises(Conflict) as raised:
        cancel_submission(access=submitter, submission=submission)
    assert raised.value.code == "finished"
    submission.refresh_from_db()
    assert submission.cancel_requested_at is None
