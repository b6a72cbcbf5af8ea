"""Reading ClusterQueues."""

from typing import Any

from sandbox.kueue.queues import read_cluster_queue

GPU = "nvidia.com/gpu"


def read(flavors: tuple[str, ...] = ("a100",), deleted: bool = False, **spec: Any) -> Any:
    quota = {"name": GPU, "nominalQuota": "32", "borrowingLimit": "16", "lendingLimit": 0}
    group = {"coveredResources": [GPU], "flavors": [{"name": "a100", "resources": [quota]}]}
    meta = {"name": "premium", **({"deletionTimestamp": "2026-03-01T12:00:00Z"} if deleted else {})}
    obj = {"metadata": meta, "spec": {"cohortName": "gpu-cohort", "resourceGroups": [group], **spec}}
    return read_cluster_queue(obj, dict.fromkeys(flavors))


def test_quotas() -> None:
    quota = read().quotas["a100", GPU]
    assert (quota.nominal, quota.borrowing_limit, quota.lending_limit, quota.kept) == (32, 16, 0, 32)


def test_an_empty_queue_can_be_read() -> None:
    queue = read_cluster_queue({"metadata": {"name": "empty"}}, {})
    assert (queue.cohort, queue.groups, queue.path, queue.inactive) == ("", (), "/empty", None)


def test_why_it_is_inactive() -> None:
    assert read().inactive is None
    assert read(deleted=True).inactive[0] == "Terminating"
    missing = "references missing ResourceFlavor(s): a100"
    assert read(flavors=(), stopPolicy="Hold").inactive == (
        "Stopped",
        f"Can't admit new workloads: is stopped, {missing}.",
    )


def test_no_selector_selects_nothing_and_an_empty_one_everything() -> None:
    assert not read().selects({"team": "red"})
    assert read(namespaceSelector={}).selects({})


def test_selectors() -> None:
    def selects(labels: dict[str, str], **selector: Any) -> bool:
        return bool(read(namespaceSelector=selector).selects(labels))

    assert selects({"team": "red"}, matchLabels={"team": "red"})
    assert not selects({}, matchLabels={"team": "red"})
    assert selects({"team": "red"}, matchExpressions=[{"key": "team", "operator": "Exists"}])
    assert not selects({"team": "red"}, matchExpressions=[{"key": "team", "operator": "NotIn", "values": ["red"]}])
    assert selects({}, matchExpressions=[{"key": "team", "operator": "DoesNotExist"}])
