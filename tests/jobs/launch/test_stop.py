from datetime import timedelta

import pytest
from django.utils import timezone

from jobs.models import Submission
from jobs.services import cancel_submission
from portal.kube.client import Cluster
from portal.kube.kinds import Object, ref_of
from tests.jobs.launch.conftest import Place
from tests.jobs.launch.proxy import lose_the_answer, on, status

State = Submission.State


def cancel(place: Place, submission: Submission) -> Submission:
    return cancel_submission(access=place.access, submission=submission)


def named(submission: Submission, **metadata: object) -> Object:
    """The job's object with nothing but its name and `metadata`, for an apply."""
    sent = submission.manifest
    names = {key: sent["metadata"][key] for key in ("name", "namespace")}
    return {"apiVersion": sent["apiVersion"], "kind": sent["kind"], "metadata": names | metadata}


def test_a_cancelled_job_is_deleted_by_its_uid_and_seen_gone(place: Place) -> None:
    submission = cancel(place, place.launch(place.submission()))
    place.launch(submission)
    assert place.job(submission) is None
    assert submission.stopped_at is not None and submission.state == State.CANCELLED
    assert place.proxy.count("DELETE") == 1


def test_what_was_never_sent_needs_no_cluster(place: Place) -> None:
    submission = cancel(place, place.submission())
    place.launch(submission)
    assert (submission.state, submission.sent_at) == (State.CANCELLED, None)
    assert place.proxy.requests == [] and place.created() == [
        entry for entry in place.created() if entry["name"] != submission.job_name
    ]


def test_what_a_killed_worker_may_have_created_is_looked_for(place: Place) -> None:
    submission = place.submission()
    place.proxy.fault = on("POST", lose_the_answer)
    place.launch(submission)
    assert place.job(submission) is not None and submission.sent_at is None
    place.proxy.fault = None
    place.launch(cancel(place, submission))
    assert place.job(submission) is None and submission.stopped_at is not None


def test_it_is_stopping_until_the_cluster_says_that_it_is_gone(place: Place) -> None:
    submission = place.launch(place.submission())
    place.cluster.apply(named(submission, finalizers=["example.test/hold"]))
    place.launch(cancel(place, submission))
    assert (submission.stopped_at, submission.state) == (None, State.STOPPING)
    assert submission.send_error == "Being deleted; held by example.test/hold."
    assert timezone.now() < submission.next_try_at < timezone.now() + timedelta(seconds=2)
    place.cluster.apply(named(submission))
    place.launch(submission)
    assert submission.state == State.CANCELLED
    assert place.proxy.count("DELETE") == 1


def test_a_namesake_with_another_uid_is_not_touched(place: Place) -> None:
    submission = place.launch(place.submission())
    place.cluster.delete(ref_of(submission.manifest), uid=submission.object_uid)
    place.cluster.create(submission.manifest)
    namesake = place.job(submission)
    place.launch(cancel(place, submission))
    assert submission.stopped_at is not None
    assert place.job(submission)["metadata"]["uid"] == namesake["metadata"]["uid"]
    assert "deletionTimestamp" not in place.job(submission)["metadata"]


def test_a_namesake_that_appears_just_now_is_not_touched_either(place: Place) -> None:
    submission = cancel(place, place.launch(place.submission()))
    ref = ref_of(submission.manifest)

    def replaced_first(forward):
        direct = Cluster(url=place.sandbox.url, token_file=place.cluster._token_file)
        direct.delete(ref, uid=submission.object_uid)
        direct.create(submission.manifest)
        return forward()

    place.proxy.fault = on("DELETE", replaced_first)
    place.launch(submission)
    assert submission.stopped_at is not None
    assert place.job(submission)["metadata"]["uid"] != submission.object_uid


def test_what_somebody_else_deleted_is_stopped(place: Place) -> None:
    submission = place.launch(place.submission())
    place.cluster.delete(ref_of(submission.manifest), uid=submission.object_uid)
    place.launch(cancel(place, submission))
    assert submission.stopped_at is not None and len(place.created()) >= 1


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_an_error_never_means_gone(place: Place, method: str) -> None:
    submission = cancel(place, place.launch(place.submission()))
    place.proxy.fault = on(method, lambda forward: status(503, "etcd is away"))
    place.launch(submission)
    assert (submission.stopped_at, submission.state) == (None, State.STOPPING)
    assert submission.next_try_at is not None
    place.proxy.fault = None
    place.launch(submission)
    assert submission.state == State.CANCELLED


def test_a_kind_that_went_missing_never_means_gone(place: Place) -> None:
    submission = cancel(place, place.launch(place.submission()))
    place.proxy.fault = on("GET", lambda forward: status(404, "the server could not find the requested resource"))
    place.launch(submission)
    assert submission.stopped_at is None and submission.next_try_at is not None
