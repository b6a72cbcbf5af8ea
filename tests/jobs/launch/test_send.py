from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from jobs.models import Submission
from portal.kube.client import Cluster
from portal.kube.kinds import NAMESPACE, Ref
from tenants.models import Tenant
from tests.flows.leaves import leaves
from tests.jobs.launch.conftest import Place
from tests.jobs.launch.proxy import Answer, lose_the_answer, on, status

State = Submission.State


def uids(place: Place, submission: Submission) -> list[str]:
    return [entry["uid"] for entry in place.created() if entry["name"] == submission.job_name]


def test_what_is_sent_is_stored_leaf_by_leaf(place: Place) -> None:
    submission = place.launch(place.submission())
    stored = place.job(submission)
    assert submission.object_uid == stored["metadata"]["uid"] and submission.sent_at is not None
    assert (submission.send_error, submission.lease_token, submission.next_try_at) == ("", None, None)
    sent, found = dict(leaves(submission.manifest)), dict(leaves(stored))
    assert {path: value for path, value in sent.items() if found.get(path) != value} == {}
    assert len(sent) > 60


def test_a_second_hint_does_nothing(place: Place) -> None:
    submission = place.launch(place.submission())
    asked = len(place.proxy.requests)
    place.launch(submission)
    assert len(place.proxy.requests) == asked
    assert uids(place, submission) == [submission.object_uid]


def test_what_a_killed_worker_created_is_adopted(place: Place) -> None:
    submission = place.submission()
    left = place.cluster.create(submission.manifest)
    place.launch(submission)
    assert submission.object_uid == left["metadata"]["uid"]
    assert uids(place, submission) == [submission.object_uid]


def test_what_was_created_while_the_answer_got_lost_is_adopted(place: Place) -> None:
    submission = place.submission()
    place.proxy.fault = on("POST", lose_the_answer)
    place.launch(submission)
    assert submission.sent_at is None and submission.send_error and submission.next_try_at > timezone.now()
    place.proxy.fault = None
    place.launch(submission)
    assert uids(place, submission) == [submission.object_uid]


@pytest.mark.parametrize("ours", ["label", "hash", "neither"])
def test_a_namesake_of_somebody_else_is_left_alone(place: Place, ours: str) -> None:
    submission = place.submission()
    foreign = submission.manifest | {"metadata": {"name": submission.job_name, "namespace": submission.namespace}}
    if ours != "neither":
        key, name = ("labels", "submission") if ours == "label" else ("annotations", "spec-hash")
        kept = {f"choirmaster.dev/{name}": submission.manifest["metadata"][key][f"choirmaster.dev/{name}"]}
        foreign["metadata"][key] = kept
    place.cluster.create(foreign)
    before = place.job(submission)
    place.launch(submission)
    assert submission.state == State.REJECTED and submission.object_uid == ""
    assert f"The name {submission.job_name} is taken" in submission.send_error
    assert place.job(submission) == before


def test_what_is_being_deleted_by_others_is_adopted_and_not_made_again(place: Place) -> None:
    submission = place.submission()
    manifest = submission.manifest | {"metadata": submission.manifest["metadata"] | {"finalizers": ["example.test/x"]}}
    left = place.cluster.create(manifest)
    place.sandbox.call(
        "DELETE", f"/apis/kubeflow.org/v1/namespaces/{submission.namespace}/pytorchjobs/{submission.job_name}"
    )
    assert place.job(submission)["metadata"]["deletionTimestamp"]
    place.launch(submission)
    assert submission.object_uid == left["metadata"]["uid"]
    assert len(uids(place, submission)) == 1


def test_what_the_cluster_refuses_is_rejected_in_its_own_words(place: Place) -> None:
    submission = place.submission()
    manifest = submission.manifest | {"spec": submission.manifest["spec"] | {"nonsense": 1}}
    Submission.objects.filter(pk=submission.pk).update(manifest=manifest)
    place.launch(submission)
    assert submission.state == State.REJECTED and submission.rejected_at is not None
    assert 'unknown field "spec.nonsense"' in submission.send_error
    posts = place.proxy.count("POST")
    place.launch(submission)
    assert place.proxy.count("POST") == posts


def test_a_kind_that_is_not_installed_is_rejected(place: Place) -> None:
    submission = place.submission()
    Submission.objects.filter(pk=submission.pk).update(manifest=submission.manifest | {"apiVersion": "kubeflow.org/v9"})
    place.launch(submission)
    assert submission.state == State.REJECTED
    assert "does not have the kind PyTorchJob" in submission.send_error


WEBHOOK = 'Internal error occurred: failed calling webhook "mpytorchjob.kb.io": connect: connection refused'


@pytest.mark.parametrize(
    "answer",
    [
        lambda forward: None,
        lambda forward: status(500, WEBHOOK, "InternalError"),
        lambda forward: status(429, "too many requests", "TooManyRequests", {"Retry-After": "1"}),
        lambda forward: status(503, "the server is currently unable to handle the request"),
        lambda forward: status(401, "Unauthorized", "Unauthorized"),
        lambda forward: status(403, "exceeded quota: x, requested: count/pytorchjobs=1", "Forbidden"),
        lambda forward: status(409, "the object has been modified", "Conflict"),
        lambda forward: (200, {"Content-Type": "text/html"}, b"<html>a proxy's page</html>"),
    ],
    ids=["cut", "webhook", "busy", "down", "token", "quota", "conflict", "no-json"],
)
def test_what_may_be_different_next_time_is_tried_again(place: Place, answer: Callable[..., Answer | None]) -> None:
    submission = place.submission()
    place.proxy.fault = on("POST", answer)
    place.launch(submission)
    assert (submission.sent_at, submission.rejected_at, submission.state) == (None, None, State.SUBMITTED)
    assert submission.send_error and submission.lease_token is None
    assert timezone.now() < submission.next_try_at < timezone.now() + timedelta(seconds=15)
    place.proxy.fault = None
    assert place.launch(submission).sent_at is not None


def test_the_clusters_own_pause_is_kept(place: Place) -> None:
    submission = place.submission()
    place.proxy.fault = on("POST", lambda forward: status(429, "busy", "TooManyRequests", {"Retry-After": "30"}))
    place.launch(submission)
    assert submission.next_try_at > timezone.now() + timedelta(seconds=25)


def test_without_a_cluster_nothing_is_lost(place: Place, tmp_path) -> None:
    submission = place.submission()
    place.cluster = Cluster(url="http://127.0.0.1:9", token_file=str(tmp_path / "token"))
    place.launch(submission)
    assert submission.state == State.SUBMITTED and "does not answer" in submission.send_error
    assert submission.state not in Submission.FINISHED


def test_a_namespace_that_is_not_set_up_yet_is_waited_for(place: Place) -> None:
    Tenant.objects.filter(pk=place.access.tenant.pk).update(namespace_uid="")
    submission = place.launch(place.submission())
    assert submission.send_error == f"The namespace {submission.namespace} is not set up yet."
    assert place.proxy.requests == []


def test_a_namesake_of_the_namespace_is_not_written_into(place: Place) -> None:
    Tenant.objects.filter(pk=place.access.tenant.pk).update(namespace_uid="another")
    submission = place.launch(place.submission())
    assert "was made anew by somebody else" in submission.send_error
    assert place.proxy.count("POST") == 0 and submission.next_try_at is not None


def test_a_namespace_that_is_gone_is_told(place: Place) -> None:
    submission = place.submission()
    namespace = Ref(NAMESPACE, submission.namespace)
    place.cluster.delete(namespace, uid=place.access.tenant.namespace_uid)
    place.launch(submission)
    assert "is gone" in submission.send_error or "is being deleted" in submission.send_error
    assert place.proxy.count("POST") == 0 and submission.rejected_at is None
