"""Which node a pod goes to, or why there is none."""

from typing import Any

from sandbox.placement import Placement
from sandbox.store import Store
from tests.sandbox.world import GPU, PRODUCT, World


def pod(gpus: int = 8, **spec: Any) -> dict[str, Any]:
    container = {"name": "c", "image": "i", "resources": {"limits": {GPU: str(gpus)}}}
    return {"metadata": {"name": "p", "namespace": "team-a"}, "spec": {"containers": [container], **spec}}


def why_not(store: Store, wanted: dict[str, Any]) -> str:
    node, why = Placement(store).find(wanted)
    assert node == ""
    return why


def test_no_nodes_at_all(store: Store) -> None:
    assert why_not(store, pod()) == "no nodes available to schedule pods"


def test_the_fullest_node_that_fits_is_taken(store: Store) -> None:
    world = World(store)
    world.queue("premium", 32)
    world.submit("small", workers=1, gpus=2)
    world.submit("whole", workers=1, gpus=8)
    world.submit("other", workers=1, gpus=6)
    places = [world.pod(name)["spec"]["nodeName"] for name in ("small", "whole", "other")]
    assert places == ["a100-0", "a100-1", "a100-0"]


def test_the_reasons_of_all_nodes_are_counted(store: Store) -> None:
    World(store, nodes=4)
    change_node(store, "a100-0", unschedulable=True)
    change_node(store, "a100-1", taints=[{"key": "gpu", "value": "broken", "effect": "NoSchedule"}])
    assert why_not(store, pod(16)) == (
        "0/4 nodes are available: 2 Insufficient nvidia.com/gpu, "
        "1 node(s) had untolerated taint {gpu: broken}, 1 node(s) were unschedulable. "
        "no new claims to deallocate, preemption: 0/4 nodes are available: "
        "4 Preemption is not helpful for scheduling."
    )


def test_a_full_node_would_do_if_it_were_empty(store: Store) -> None:
    world = World(store, nodes=1)
    world.queue("premium", 32)
    world.submit("first", workers=1, gpus=8)
    assert "1 No preemption victims found for incoming pod." in why_not(store, pod(1))


def change_node(store: Store, name: str, **spec: Any) -> None:
    node = store.get("nodes", "", name)
    node["spec"] = {**node.get("spec", {}), **spec}
    store.update("nodes", node)


def test_a_selector_no_node_has(store: Store) -> None:
    World(store)
    selector = {"nvidia.com/gpu.product": "H100"}
    assert "6 node(s) didn't match Pod's node affinity/selector" in why_not(store, pod(nodeSelector=selector))
    assert Placement(store).find(pod(nodeSelector=PRODUCT))[0] == "a100-0"


def test_a_claim_must_be_there_and_bound(store: Store) -> None:
    World(store)
    wanted = pod(volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "training-data"}}])
    assert why_not(store, wanted) == (
        '0/6 nodes are available: persistentvolumeclaim "training-data" not found. not found'
    )
    claim = {"metadata": {"name": "training-data", "namespace": "team-a"}, "spec": {"accessModes": ["ReadWriteMany"]}}
    store.create("persistentvolumeclaims", claim)
    assert Placement(store).find(wanted)[0] == "a100-0"


def test_a_waiting_pod_is_placed_when_its_claim_appears(store: Store) -> None:
    world = World(store)
    world.queue("premium", 32)
    volume = {"name": "data", "persistentVolumeClaim": {"claimName": "training-data"}}
    world.submit("demo", workers=1, pod={"volumes": [volume]})
    assert "nodeName" not in world.pod("demo")["spec"]
    store.create("persistentvolumeclaims", {"metadata": {"name": "training-data", "namespace": "premium"}})
    world.controllers.settle()
    assert world.pod("demo")["spec"]["nodeName"] == "a100-0"


def test_a_waiting_pod_takes_the_place_of_one_that_ends(store: Store) -> None:
    world = World(store, nodes=1)
    world.queue("premium", 32)
    world.submit("first", workers=1, gpus=8, scenario={"succeed-after": "10"})
    world.submit("second", workers=1, gpus=8)
    assert "nodeName" not in world.pod("second")["spec"]
    world.tick(14)
    assert world.pod("second")["spec"]["nodeName"] == "a100-0"


def test_a_pod_deleted_while_it_waits_is_forgotten(store: Store) -> None:
    world = World(store, nodes=1)
    world.queue("premium", 32)
    world.submit("huge", workers=1, gpus=16)
    world.delete("huge")
    world.submit("next", workers=1, gpus=8)
    world.tick(5)
    assert world.pods("huge") == []
    assert world.state("next") == "Running"
