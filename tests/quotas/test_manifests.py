import pytest

from portal.names import GPU
from portal.quantity import parse
from quotas import manifests
from quotas.manifests import KUEUE_V1BETA1, QuotaLine

LINES = [
    QuotaLine("a100", GPU, 32, borrowing_limit=16),
    QuotaLine("a100", "example.com/nic", 8),
    QuotaLine("a100", "memory", parse("4Ti"), lending_limit=parse("1Ti")),
    QuotaLine("a100", "cpu", parse("512", "cpu")),
]


def queue(**changes):
    values = {"name": "premium", "cohort": "gpu-cohort", "tenant_uid": "t-1", "reclaim_within_cohort": "Any"}
    values |= {"generation": 3, "quotas": LINES, **changes}
    return manifests.cluster_queue(**values)


def test_cluster_queue():
    manifest = queue()
    assert manifest["apiVersion"] == "kueue.x-k8s.io/v1beta2"
    assert manifest["metadata"]["annotations"] == {"choirmaster.dev/generation": "3"}
    assert manifest["spec"]["cohortName"] == "gpu-cohort"
    assert manifest["spec"]["namespaceSelector"] == {"matchLabels": {"choirmaster.dev/tenant-uid": "t-1"}}
    assert manifest["spec"]["preemption"] == {"reclaimWithinCohort": "Any"}


def test_all_resources_are_in_one_group_and_always_in_the_same_order():
    [group] = queue()["spec"]["resourceGroups"]
    assert group["coveredResources"] == ["cpu", "memory", GPU, "example.com/nic"]
    assert group["flavors"][0]["resources"] == [
        {"name": "cpu", "nominalQuota": "512"},
        {"name": "memory", "nominalQuota": "4Ti", "lendingLimit": "1Ti"},
        {"name": GPU, "nominalQuota": "32", "borrowingLimit": "16"},
        {"name": "example.com/nic", "nominalQuota": "8"},
    ]
    assert queue(quotas=LINES[::-1])["spec"] == queue()["spec"]


def test_every_flavor_lists_every_resource_in_that_order():
    lines = [*LINES, *(QuotaLine("h100", line.resource, 0) for line in LINES[::-1])]
    [group] = queue(quotas=lines)["spec"]["resourceGroups"]
    for flavor in group["flavors"]:
        assert [entry["name"] for entry in flavor["resources"]] == group["coveredResources"]


def test_limits_need_a_cohort():
    spec = queue(cohort=None)["spec"]
    assert "cohortName" not in spec
    assert "Limit" not in str(spec)


def test_a_queue_without_tenant_selects_no_namespace():
    assert "namespaceSelector" not in queue(tenant_uid=None)["spec"]


def test_the_older_api_calls_the_cohort_otherwise():
    manifest = queue(api_version=KUEUE_V1BETA1)
    assert manifest["apiVersion"] == KUEUE_V1BETA1
    assert manifest["spec"]["cohort"] == "gpu-cohort"
    assert "cohortName" not in manifest["spec"]


@pytest.mark.parametrize("mode", ["enforce", "audit", "warn"])
def test_namespaces_hold_pods_to_the_restricted_standard(mode):
    labels = manifests.namespace(name="cm-premium", tenant="premium", tenant_uid="t-1")["metadata"]["labels"]
    assert labels[f"pod-security.kubernetes.io/{mode}"] == "restricted"
    assert labels[f"pod-security.kubernetes.io/{mode}-version"].startswith("v1.")
    assert labels["choirmaster.dev/tenant"] == "premium"
    assert labels["choirmaster.dev/tenant-uid"] == "t-1"
    assert labels["choirmaster.dev/managed"] == "true"


def test_jobs_run_as_nobody():
    manifest = manifests.service_account(namespace="cm-premium")
    assert manifest["metadata"]["name"] == "choirmaster-job"
    assert manifest["automountServiceAccountToken"] is False


def test_local_queue():
    manifest = manifests.local_queue(namespace="cm-premium", cluster_queue="premium")
    assert manifest["metadata"]["name"] == "main"
    assert manifest["spec"] == {"clusterQueue": "premium"}


def test_resource_flavor():
    labels = {"nvidia.com/gpu.product": "A100-SXM4-40GB"}
    assert manifests.resource_flavor(name="a100", node_labels=labels)["spec"] == {"nodeLabels": labels}
