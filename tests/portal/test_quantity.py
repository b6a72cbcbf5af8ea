import pytest

from portal.quantity import BadQuantity, parse, show


@pytest.mark.parametrize(
    ("text", "resource", "amount"),
    [
        ("4", "nvidia.com/gpu", 4),
        ("32", "cpu", 32_000),
        ("500m", "cpu", 500),
        ("1.5", "cpu", 1500),
        ("256Gi", "memory", 256 * 2**30),
        ("0.5Gi", "memory", 2**29),
        ("1e3", "memory", 1000),
        ("1M", "memory", 1_000_000),
        ("0", "memory", 0),
        ("1000m", "nvidia.com/gpu", 1),
        ("7Ei", "memory", 7 * 2**60),
    ],
)
def test_parse(text: str, resource: str, amount: int) -> None:
    assert parse(text, resource) == amount


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-1",
        "+1",
        "1 Gi",
        "1gi",
        "Gi",
        "1e",
        "1e999",
        "１",
        "0x10",
        "NaN",
        "1Ki2",
        "9Ei9",
        "9" * 30,
        "8Ei",
        "1.5\n",
        "\x001",
    ],
)
def test_parse_refuses(text: str) -> None:
    with pytest.raises(BadQuantity):
        parse(text, "memory")


@pytest.mark.parametrize(
    ("text", "resource"), [("1m", "nvidia.com/gpu"), ("0.5", "nvidia.com/gpu"), ("0.1m", "cpu"), ("1m", "memory")]
)
def test_a_fraction_is_refused_not_rounded(text: str, resource: str) -> None:
    with pytest.raises(BadQuantity, match="whole number"):
        parse(text, resource)


@pytest.mark.parametrize(
    ("text", "resource"),
    [
        ("256Gi", "memory"),
        ("100Gi", "ephemeral-storage"),
        ("32", "cpu"),
        ("1500m", "cpu"),
        ("4", "nvidia.com/gpu"),
        ("1000", "memory"),
        ("0", "memory"),
    ],
)
def test_show_is_the_way_back(text: str, resource: str) -> None:
    assert show(parse(text, resource), resource) == text
