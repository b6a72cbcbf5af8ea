import pytest

from sandbox.errors import StatusError
from sandbox.query import flag, whole


@pytest.mark.parametrize(("text", "number"), [("", 7), ("0", 0), ("12", 12), ("-1", -1)])
def test_whole_numbers(text, number):
    assert whole({"n": text}, "n", 7) == number


@pytest.mark.parametrize("text", ["²", "1.5", "x", "-", "--1", "1_0", str(2**63)])
def test_what_is_no_such_number(text):
    with pytest.raises(StatusError) as caught:
        whole({"n": text}, "n", 7)
    assert caught.value.code == 400


def test_switches():
    assert [flag({"f": text}, "f") for text in ("true", "1", "True", "false", "0", "")] == [True] * 3 + [False] * 3
