import pytest

from jobs.spec import canonical, digest


def nested(levels: int) -> list:
    value: list = []
    for _ in range(levels):
        value = [value]
    return value


def test_equal_values_have_equal_bytes() -> None:
    assert canonical({"b": [1, "ü"], "a": None}) == '{"a":null,"b":[1,"ü"]}'.encode()
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    assert digest({"a": 1}) != digest({"a": "1"})


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), "\ud800", 10**5000, nested(100_000)],
    ids=["nan", "infinity", "surrogate", "huge", "deep"],
)
def test_what_json_cannot_hold_is_a_value_error(value: object) -> None:
    with pytest.raises(ValueError):
        canonical(value)
