"""What launch sends, judged by a real API server, Kueue and the training operator."""

import time
from collections.abc import Callable, Iterator
from uuid import uuid4

import pytest
from django.utils import timezone

from jobs.launch import launch
from jobs.mirror import resync
from jobs.models import Submission
from portal.kube.client import Cluster
from portal.kube.errors import NotFound
from portal.kube.kinds import CLUSTER_QUEUE, NAMESPACE, POD, PYTORCHJOB, Kind, Ref
from portal.names import LOCAL_QUEUE, QUEUE_LABEL
from quotas.apply import apply_queue
from quotas.models import ClusterQueue
from tenants.models import Role
from tests.factories import make_access, make_queue, make_tenant
from tests.flows.control import CLAIMS, claim_of
from tests.flows.leaves import leaves
from tests.jobs.factories import make_submission, make_template

pytestmark = [pytest.mark.cluster, pytest.mark.django_db]
PATIENCE_SECONDS = 30  # how long a real cluster's controllers may take; nothing here moves its clock


def within(seconds: float, look: Callable[[], bool]) -> bool:
    end = time.monotonic() + seconds
    while not look():
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True


def remove(cluster: Cluster, kind: Kind, name: str) -> None:
    try:
        cluster.delete(Ref(kind, name), uid=cluster.get(Ref(kind, name))["metadata"]["uid"])
    except NotFound:
        return


@pytest.fixture
def queue(admin: Cluster, cluster: Cluster) -> Iterator[ClusterQueue]:
    name = f"test-{uuid4().hex[:8]}"
    tenant = make_tenant(name)
    queue = make_queue(name, gpus=32, borrowing=0, tenant=tenant, cohort=name)
    apply_queue(cluster, queue.pk)
    for claim in CLAIMS:
        admin.create(claim_of(tenant.namespace, claim))
    queue.refresh_from_db()
    yield queue
    remove(admin, NAMESPACE, tenant.namespace)
    remove(admin, CLUSTER_QUEUE, name)


@pytest.fixture
def submission(queue: ClusterQueue) -> Submission:
    make_template()
    assert queue.tenant is not None
    queue.tenant.refresh_from_db()
    return make_submission(make_access(queue.tenant, Role.SUBMITTER), title="llama3-8b-finetune")


def test_strict_validation_passes_and_every_leaf_is_stored(cluster: Cluster, submission: Submission) -> None:
    stored = cluster.create(submission.manifest, dry_run=True)
    found = dict(leaves(stored))
    assert {path: value for path, value in leaves(submission.manifest) if found.get(path) != value} == {}
    assert stored["metadata"]["labels"][QUEUE_LABEL] == LOCAL_QUEUE
    assert stored["spec"]["runPolicy"]["suspend"] is True


def test_kueue_admits_it_and_its_pods_pass_pod_security(cluster: Cluster, submission: Submission) -> None:
    launch(cluster, submission.pk)
    submission.refresh_from_db()
    assert submission.sent_at is not None, submission.send_error
    label = f"training.kubeflow.org/job-name={submission.job_name}"

    def four_pods() -> bool:
        return len(cluster.list(POD, submission.namespace, label).items) == 4

    assert within(PATIENCE_SECONDS, four_pods), cluster.get(Ref(PYTORCHJOB, submission.job_name, submission.namespace))
    resync(cluster)
    submission.refresh_from_db()
    assert submission.attempts.count() == 1
    assert submission.pods.count() == 4
    assert submission.state in {"starting", "running"}
    assert not submission.events.filter(reason="FailedCreatePod").exists()
    found = dict(leaves(cluster.get(Ref(PYTORCHJOB, submission.job_name, submission.namespace))))
    changed = {path for path, value in leaves(submission.manifest) if found.get(path) != value}
    assert changed == {".spec.runPolicy.suspend"}, "Kueue takes the suspension away and nothing else"


def test_a_cancelled_job_goes(cluster: Cluster, submission: Submission) -> None:
    launch(cluster, submission.pk)
    Submission.objects.filter(pk=submission.pk).update(cancel_requested_at=timezone.now())

    def stopped() -> bool:
        launch(cluster, submission.pk)
        submission.refresh_from_db()
        return submission.stopped_at is not None

    assert within(PATIENCE_SECONDS, stopped), submission.send_error
    with pytest.raises(NotFound):
        cluster.get(Ref(PYTORCHJOB, submission.job_name, submission.namespace))
