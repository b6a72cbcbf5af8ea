"""Node selectors, affinity, taints and tolerations."""

import pytest

from sandbox.node_match import matches_affinity, tolerated

LABELS = {"zone": "a", "gpus": "8"}
TAINT = {"key": "gpu", "value": "a100", "effect": "NoSchedule"}


def affinity(operator: str, key: str, *values: str) -> dict[str, object]:
    term = {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}
    required = {"nodeSelectorTerms": [term]}
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}}


def test_node_selector() -> None:
    assert matches_affinity({"nodeSelector": {"zone": "a"}}, LABELS)
    assert not matches_affinity({"nodeSelector": {"zone": "b"}}, LABELS)


def test_only_the_given_keys_count() -> None:
    assert matches_affinity({"nodeSelector": {"zone": "b"}}, LABELS, {"gpus"})
    assert matches_affinity(affinity("In", "zone", "b"), LABELS, {"gpus"})


@pytest.mark.parametrize(
    ("operator", "key", "values", "matches"),
    [
        ("In", "zone", ("a", "b"), True),
        ("In", "zone", ("b",), False),
        ("NotIn", "zone", ("b",), True),
        ("Exists", "rack", (), False),
        ("DoesNotExist", "rack", (), True),
        ("Gt", "gpus", ("4",), True),
        ("Lt", "gpus", ("4",), False),
        ("Gt", "zone", ("4",), False),
    ],
)
def test_required_affinity(operator: str, key: str, values: tuple[str, ...], matches: bool) -> None:
    assert matches_affinity(affinity(operator, key, *values), LABELS) is matches


@pytest.mark.parametrize(
    ("toleration", "result"),
    [
        ({"key": "gpu", "operator": "Exists"}, True),
        ({"operator": "Exists"}, True),
        ({"key": "gpu", "value": "a100"}, True),
        ({"key": "gpu", "value": "h100"}, False),
        ({"key": "gpu", "operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "disk", "operator": "Exists"}, False),
    ],
)
def test_tolerations(toleration: dict[str, str], result: bool) -> None:
    assert tolerated(TAINT, [toleration]) is result


def test_a_preference_keeps_nobody_away() -> None:
    assert tolerated({"key": "gpu", "effect": "PreferNoSchedule"}, [])
