"""Flavor assignment: the flavors, and the reasons where none fits."""

from typing import Any

from sandbox.kueue.capacity import Capacity, QueueQuota, Quota
from sandbox.kueue.flavors import Assigner, Assignment, Mode, PodSet, ResourceGroup

GPU = "nvidia.com/gpu"
A100, H100 = {"gpu": "a100"}, {"gpu": "h100"}


def flavor(labels: dict[str, str], **spec: Any) -> dict[str, Any]:
    return {"spec": {"nodeLabels": labels, **spec}}


FLAVORS = {"a100": flavor(A100), "h100": flavor(H100)}


def assigner(a100: int = 8, h100: int = 8, used: int = 0, flavors: dict[str, Any] = FLAVORS) -> Assigner:
    """A queue of two flavors in a cohort of its own; `used` counts in a100."""
    quotas = {("a100", GPU): Quota(a100), ("h100", GPU): Quota(h100)}
    account = QueueQuota("main", "research", quotas, {("a100", GPU): used})
    groups = [ResourceGroup(frozenset({GPU}), ("a100", "h100"))]
    return Assigner(Capacity([account]), "main", groups, flavors)


def workers(gpus: int, name: str = "worker", **spec: Any) -> PodSet:
    return PodSet(name, 1, {GPU: gpus}, spec)


def chosen(assignment: Assignment) -> dict[str, str]:
    return {name: flavors[GPU] for name, flavors in assignment.flavors.items()}


def test_the_first_flavor_that_fits() -> None:
    assert chosen(assigner().assign([workers(8)])) == {"worker": "a100"}
    assert chosen(assigner(used=4).assign([workers(8)])) == {"worker": "h100"}


def test_pod_sets_add_up() -> None:
    result = assigner().assign([workers(6, "master"), workers(6)])
    assert chosen(result) == {"master": "a100", "worker": "h100"}
    assert result.usage == {("a100", GPU): 6, ("h100", GPU): 6}


def test_too_much_for_ever_says_the_numbers() -> None:
    result = assigner(h100=0).assign([workers(3, "master"), workers(6)])
    start = "couldn't assign flavors to pod set worker: insufficient quota for nvidia.com/gpu in flavor "
    assert result.mode is Mode.NO_FIT
    assert result.message.startswith(
        f"{start}a100, previously considered podsets requests (3) + current podset request (6) > maximum capacity (8), "
    )


def test_too_much_for_now_says_what_is_missing() -> None:
    result = assigner(h100=4, used=8).assign([workers(4), workers(6, "other")])
    assert result.mode is Mode.PREEMPT
    assert "insufficient unused quota for nvidia.com/gpu in flavor a100, 6 more needed" in result.message


def test_an_uncovered_resource() -> None:
    result = assigner().assign([PodSet("worker", 1, {GPU: 1, "rdma/hca": 1}, {})])
    assert result.message == (
        "couldn't assign flavors to pod set worker: resource rdma/hca unavailable in ClusterQueue"
    )


def test_node_affinity_picks_the_flavor() -> None:
    assert chosen(assigner().assign([workers(1, nodeSelector=H100)])) == {"worker": "h100"}
    assert chosen(assigner().assign([workers(1, nodeSelector={"zone": "b"})])) == {"worker": "a100"}
    result = assigner().assign([workers(1, nodeSelector={"gpu": "v100"})])
    reasons = "flavor a100 doesn't match node affinity, flavor h100 doesn't match node affinity"
    assert result.message.endswith(reasons)


def test_taints_need_tolerations() -> None:
    taint = {"key": "gpu", "value": "a100", "effect": "NoSchedule"}
    tainted = {**FLAVORS, "a100": flavor(A100, nodeTaints=[taint])}
    assert chosen(assigner(flavors=tainted).assign([workers(1)])) == {"worker": "h100"}
    toleration = {"key": "gpu", "operator": "Exists"}
    assert chosen(assigner(flavors=tainted).assign([workers(1, tolerations=[toleration])])) == {"worker": "a100"}
    full = assigner(h100=0, flavors=tainted).assign([workers(1)])
    assert "untolerated taint {gpu a100 NoSchedule <nil>} in flavor a100" in full.message


def test_a_missing_flavor() -> None:
    assert "flavor a100 not found" in assigner(h100=0, flavors={}).assign([workers(1)]).message


def test_borrowing_is_noticed() -> None:
    quotas = {("a100", GPU): Quota(4)}
    accounts = [QueueQuota("main", "research", quotas), QueueQuota("other", "research", quotas)]
    groups = [ResourceGroup(frozenset({GPU}), ("a100",))]
    one = Assigner(Capacity(accounts), "main", groups, FLAVORS)
    assert one.assign([workers(4)]).borrows is False
    assert one.assign([workers(6)]).borrows is True
