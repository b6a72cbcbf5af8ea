import pytest

from sandbox.errors import StatusError
from tests.sandbox.objects import config_map, owner, pytorch_job

JOBS = "pytorchjobs.kubeflow.org"


@pytest.fixture
def job(store):
    return store.create(JOBS, pytorch_job())


@pytest.fixture
def owned(store, job):
    return store.create("configmaps", config_map(ownerReferences=[owner(job)]))


def test_background_takes_the_dependents_along(store, job, owned):
    assert store.delete(JOBS, "team-a", "demo") is None
    assert store.list("configmaps") == []


def test_orphan_leaves_the_dependents_without_owner(store, job, owned):
    store.delete(JOBS, "team-a", "demo", propagation="Orphan")
    assert store.get("configmaps", "team-a", "settings")["metadata"]["ownerReferences"] == []


def test_foreground_waits_for_dependents_that_block(store, job, owned):
    owned["metadata"]["finalizers"] = ["example.com/hold"]
    owned = store.update("configmaps", owned)
    kept = store.delete(JOBS, "team-a", "demo", propagation="Foreground")
    assert kept["metadata"]["finalizers"] == ["foregroundDeletion"]
    owned = store.get("configmaps", "team-a", "settings")
    assert owned["metadata"]["deletionTimestamp"]
    owned["metadata"]["finalizers"] = []
    store.update("configmaps", owned)
    assert store.get(JOBS, "team-a", "demo") is None


def test_a_dependent_with_another_owner_stays(store, job):
    other = store.create(JOBS, pytorch_job("other"))
    store.create("configmaps", config_map(ownerReferences=[owner(job), owner(other)]))
    store.delete(JOBS, "team-a", "demo")
    assert len(store.list("configmaps")) == 1
    store.delete(JOBS, "team-a", "other")
    assert store.list("configmaps") == []


def test_what_names_an_owner_that_is_gone_is_collected(store, job):
    reference = owner(job) | {"uid": "11111111-0000-0000-0000-000000000000"}
    store.create("configmaps", config_map(ownerReferences=[reference]))
    assert store.list("configmaps") == []


def test_finalizers_keep_an_object_until_they_are_gone(store):
    made = store.create("configmaps", config_map(finalizers=["example.com/hold"]))
    kept = store.delete("configmaps", "team-a", "settings")
    assert kept["metadata"]["deletionTimestamp"] == "2026-03-01T12:00:00Z"
    made["metadata"]["finalizers"] = []
    made["metadata"].pop("resourceVersion")
    store.update("configmaps", made)
    assert store.list("configmaps") == []


def test_an_object_that_is_going_gets_no_new_finalizer(store):
    store.create("configmaps", config_map(finalizers=["example.com/hold"]))
    kept = store.delete("configmaps", "team-a", "settings")
    kept["metadata"]["finalizers"].append("example.com/more")
    with pytest.raises(StatusError, match="no new finalizers can be added"):
        store.update("configmaps", kept)


def test_a_namesake_is_not_deleted(store, job):
    with pytest.raises(StatusError, match=r"the UID in the precondition \(another\) does not match") as caught:
        store.delete(JOBS, "team-a", "demo", uid="another")
    assert caught.value.code == 409
    assert store.get(JOBS, "team-a", "demo")


def test_a_running_pod_gets_its_grace_period(store):
    pod = {"metadata": {"name": "p", "namespace": "team-a"}, "spec": {"nodeName": "n1", "containers": []}}
    store.create("pods", pod)
    kept = store.delete("pods", "team-a", "p")
    assert kept["metadata"]["deletionTimestamp"] == "2026-03-01T12:00:30Z"
    assert store.delete("pods", "team-a", "p")["metadata"]["deletionTimestamp"] == "2026-03-01T12:00:30Z"
    assert store.delete("pods", "team-a", "p", grace=0) is None
    assert store.list("pods") == []


def test_a_pod_without_node_goes_at_once(store):
    store.create("pods", {"metadata": {"name": "p", "namespace": "team-a"}, "spec": {"containers": []}})
    assert store.delete("pods", "team-a", "p") is None


def test_a_namespace_takes_everything_in_it_along(store, job, owned):
    assert store.delete("namespaces", "", "team-a") is None
    assert (store.list(JOBS), store.list("configmaps"), store.get("namespaces", "", "team-a")) == ([], [], None)


def test_a_namespace_waits_for_finalizers_and_takes_nothing_new(store):
    store.create("configmaps", config_map(finalizers=["example.com/hold"]))
    kept = store.delete("namespaces", "", "team-a")
    assert kept["status"]["phase"] == "Terminating"
    with pytest.raises(StatusError, match="because it is being terminated") as caught:
        store.create("configmaps", config_map("late"))
    assert caught.value.details["causes"][0]["reason"] == "NamespaceTerminating"
    held = store.get("configmaps", "team-a", "settings")
    held["metadata"]["finalizers"] = []
    store.update("configmaps", held)
    assert store.get("namespaces", "", "team-a") is None
