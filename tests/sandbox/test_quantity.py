"""Quantities: read, written, added up for a pod."""

import pytest

from sandbox import quantity


@pytest.mark.parametrize(
    ("resource", "text", "amount"),
    [
        ("cpu", "32", 32_000),
        ("cpu", "1500m", 1500),
        ("cpu", "0.1", 100),
        ("memory", "256Gi", 256 * 2**30),
        ("memory", "1e3", 1000),
        ("memory", "1E", 10**18),
        ("memory", "1.5Ki", 1536),
        ("memory", "100m", 1),
        ("memory", "1e99999", 2**63 - 1),
        ("cpu", "9" * 400, 2**63 - 1),
        ("nvidia.com/gpu", 8, 8),
        ("nvidia.com/gpu", "1k", 1000),
    ],
)
def test_parse(resource: str, text: str | int, amount: int) -> None:
    assert quantity.parse(resource, text) == amount


@pytest.mark.parametrize("text", ["", "many", "4 GPUs", "1Xi", ".", "1.2.3", "1e"])
def test_what_is_no_quantity(text: str) -> None:
    with pytest.raises(ValueError):
        quantity.parse("cpu", text)


@pytest.mark.parametrize(
    ("resource", "amount", "text"),
    [
        ("cpu", 24_000, "24"),
        ("cpu", 1500, "1500m"),
        ("cpu", 1_000_000, "1k"),
        ("memory", 96 * 2**30, "96Gi"),
        ("memory", 1000, "1000"),
        ("ephemeral-storage", 2 * 2**40, "2Ti"),
        ("nvidia.com/gpu", 48, "48"),
        ("nvidia.com/gpu", 0, "0"),
    ],
)
def test_show_is_canonical(resource: str, amount: int, text: str) -> None:
    assert quantity.show(resource, amount) == text


def test_a_limit_counts_as_request() -> None:
    resources = {"limits": {"cpu": "2", "nvidia.com/gpu": "4"}, "requests": {"cpu": "1"}}
    assert quantity.container_requests({"resources": resources}) == {"cpu": 1000, "nvidia.com/gpu": 4}


def test_a_pod_asks_for_its_containers_together_or_its_largest_init_container() -> None:
    def container(cpu: str) -> dict[str, object]:
        return {"resources": {"requests": {"cpu": cpu}}}

    assert quantity.pod_requests({"containers": [container("1"), container("2")]}) == {"cpu": 3000}
    spec = {"containers": [container("1")], "initContainers": [container("4"), container("2")]}
    assert quantity.pod_requests(spec) == {"cpu": 4000}
