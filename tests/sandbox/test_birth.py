from tests.sandbox.objects import cluster_queue

POD = {
    "metadata": {"name": "p", "namespace": "team-a"},
    "spec": {
        "containers": [{"name": "c", "image": "x", "resources": {"limits": {"nvidia.com/gpu": 4, "memory": "1Gi"}}}],
        "volumes": [{"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": 1024}}],
    },
}


def test_a_pod_gets_the_defaults_of_its_kind_and_quantities_as_texts(store):
    pod = store.create("pods", POD)
    assert pod["status"] == {"phase": "Pending"}
    assert (pod["spec"]["restartPolicy"], pod["spec"]["serviceAccountName"]) == ("Always", "default")
    assert pod["spec"]["containers"][0]["resources"]["limits"] == {"nvidia.com/gpu": "4", "memory": "1Gi"}
    assert pod["spec"]["volumes"][0]["emptyDir"]["sizeLimit"] == "1024"


def test_a_namespace_is_active_and_labelled_with_its_name(store):
    space = store.get("namespaces", "", "team-a")
    assert space["metadata"]["labels"] == {"kubernetes.io/metadata.name": "team-a"}
    assert (space["status"], space["spec"]) == ({"phase": "Active"}, {"finalizers": ["kubernetes"]})
    assert [account["metadata"]["name"] for account in store.list("serviceaccounts", "team-a")] == ["default"]


def test_a_claim_is_bound_to_a_volume_of_its_own(store):
    spec = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": 5}}}
    claim = store.create("persistentvolumeclaims", {"metadata": {"name": "c", "namespace": "team-a"}, "spec": spec})
    assert claim["status"] == {"phase": "Bound", "accessModes": ["ReadWriteMany"], "capacity": {"storage": "5"}}
    assert claim["spec"]["volumeName"] == f"pvc-{claim['metadata']['uid']}"


def test_a_new_cluster_queue_holds_its_quotas_as_canonical_texts(store):
    queue = store.create("clusterqueues.kueue.x-k8s.io", cluster_queue(gpus="2000m"))
    assert queue["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]["nominalQuota"] == "2"
