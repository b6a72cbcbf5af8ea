from contextlib import contextmanager

import pytest

from portal.kube.client import Cluster
from portal.kube.errors import Conflict
from portal.kube.kinds import CLUSTER_QUEUE, LOCAL_QUEUE, NAMESPACE, RESOURCE_FLAVOR, SERVICE_ACCOUNT, Ref
from portal.names import GPU
from quotas.apply import apply_queue
from quotas.manifests import QuotaLine
from quotas.models import ClusterQueue
from quotas.schedule import apply_unapplied
from quotas.services import set_quota
from tenants.models import Tenant
from tests.factories import make_cohort_of_the_demo, make_queue, make_tenant
from tests.sandboxes import running_sandbox

pytestmark = pytest.mark.django_db


@contextmanager
def running_cluster(folder):
    with running_sandbox(folder) as sandbox:
        token_file = folder / "client-token"
        token_file.write_text(sandbox.token)
        yield Cluster(url=sandbox.url, token_file=str(token_file))


@pytest.fixture
def cluster(tmp_path):
    with running_cluster(tmp_path) as cluster:
        yield cluster


@pytest.fixture
def premium():
    return make_cohort_of_the_demo()[0]


def observed(cluster, kind, name, namespace=""):
    return cluster.get(Ref(kind, name, namespace))


def conditions(obj):
    return {condition["type"]: condition["status"] for condition in obj["status"]["conditions"]}


def test_a_tenant_s_queue_is_active(cluster, premium):
    apply_queue(cluster, premium.cluster_queue.pk)
    queue = observed(cluster, CLUSTER_QUEUE, "premium")
    assert queue["metadata"]["annotations"]["choirmaster.dev/generation"] == "1"
    assert queue["spec"]["cohortName"] == "gpu-cohort"
    assert conditions(queue) == {"Active": "True"}
    local = observed(cluster, LOCAL_QUEUE, "main", "cm-premium")
    assert local["spec"]["clusterQueue"] == "premium"
    assert conditions(local) == {"Active": "True"}
    assert observed(cluster, RESOURCE_FLAVOR, "a100")["spec"]["nodeLabels"]
    account = observed(cluster, SERVICE_ACCOUNT, "choirmaster-job", "cm-premium")
    assert account["automountServiceAccountToken"] is False


def test_the_namespace_s_uid_is_kept(cluster, premium):
    apply_queue(cluster, premium.cluster_queue.pk)
    namespace = observed(cluster, NAMESPACE, "cm-premium")
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    premium.refresh_from_db()
    assert premium.namespace_uid == namespace["metadata"]["uid"]


def test_a_queue_without_tenant_has_no_namespace(cluster, premium):
    apply_queue(cluster, ClusterQueue.objects.get(name="reserve").pk)
    assert observed(cluster, CLUSTER_QUEUE, "reserve")["spec"]["resourceGroups"]
    assert not Tenant.objects.exclude(namespace_uid="").exists()


def test_applying_again_changes_nothing(cluster, premium):
    for _ in range(2):
        apply_queue(cluster, premium.cluster_queue.pk)
    assert observed(cluster, CLUSTER_QUEUE, "premium")["metadata"]["generation"] == 1


def test_a_limit_that_is_taken_away_is_taken_away(cluster, premium):
    queue = premium.cluster_queue
    apply_queue(cluster, queue.pk)
    set_quota(cluster_queue=queue, quota=QuotaLine("a100", GPU, 24))
    apply_queue(cluster, queue.pk)
    found = observed(cluster, CLUSTER_QUEUE, "premium")
    assert found["metadata"]["annotations"]["choirmaster.dev/generation"] == "2"
    [group] = found["spec"]["resourceGroups"]
    [gpus] = [entry for entry in group["flavors"][0]["resources"] if entry["name"] == GPU]
    assert gpus == {"name": GPU, "nominalQuota": "24"}


def test_a_namespace_of_somebody_else_is_left_alone(cluster, premium):
    theirs = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "cm-premium"}}
    before = cluster.create(theirs)
    with pytest.raises(Conflict, match="is not premium's"):
        apply_queue(cluster, premium.cluster_queue.pk)
    assert observed(cluster, NAMESPACE, "cm-premium") == before


def test_a_namespace_that_was_made_anew_is_not_ours(cluster, premium):
    apply_queue(cluster, premium.cluster_queue.pk)
    premium.namespace_uid = "the-uid-of-before"
    premium.save()
    with pytest.raises(Conflict, match="has another uid"):
        apply_queue(cluster, premium.cluster_queue.pk)


def test_a_namespace_that_was_deleted_is_not_made_anew(cluster, premium):
    premium.namespace_uid = "the-uid-of-before"
    premium.save()
    with pytest.raises(Conflict, match="was deleted"):
        apply_queue(cluster, premium.cluster_queue.pk)


def test_a_queue_that_is_gone(cluster):
    apply_queue(cluster, 0)


def test_one_refusal_does_not_hold_up_the_others(cluster, premium):
    cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "cm-premium"}})
    assert apply_unapplied(cluster) == 2
    assert observed(cluster, CLUSTER_QUEUE, "free")


def test_onboarding_while_the_cluster_is_away(tmp_path):
    (tmp_path / "none").write_text("token")
    away = Cluster(url="http://127.0.0.1:9", token_file=str(tmp_path / "none"))
    tenant = make_tenant("later")
    make_queue("later", gpus=4, tenant=tenant)
    assert apply_unapplied(away) == 0
    with running_cluster(tmp_path) as cluster:
        assert apply_unapplied(cluster) == 1
        assert observed(cluster, LOCAL_QUEUE, "main", "cm-later")
