import pytest

from jobs.policy import Rule, Verdict
from jobs.policy.rule import amount, between, environment_name, mount_path, one_of


def test_a_step_is_a_name_any_entry_or_a_pattern() -> None:
    rule = Rule(("a.b", "[]", "~Master|Worker"), Verdict.ALLOW)
    assert rule.covers(("a.b", "[]", "Worker"))
    assert not rule.covers(("aXb", "[]", "Worker"))
    assert not rule.covers(("a.b", "[]", "Workers"))
    assert not rule.covers(("a.b", "[]"))


@pytest.mark.parametrize("value", [True, "1", 1.0, None, 0, 11])
def test_a_number_is_whole_and_within_its_bounds(value: object) -> None:
    assert between(1, 10)(value) == "Use a whole number from 1 to 10."
    assert between(1, 10)(10) == ""


def test_a_choice_has_the_type_of_its_options() -> None:
    assert one_of(True, False)(False) == ""
    assert one_of(True, False)(0) == "Use True or False."


@pytest.mark.parametrize("path", ["/dev/shm", "/data", "/checkpoints/a b", "/procession", "/system"])
def test_where_volumes_may_be_mounted(path: str) -> None:
    assert mount_path(path) == ""


@pytest.mark.parametrize(
    "path", ["/dev", "/dev/sda", "/proc/1", "/sys", "/run/secrets/x", "/", "data", "/a:b", "/./", 3]
)
def test_where_volumes_may_not_be_mounted(path: object) -> None:
    assert mount_path(path) != ""


def test_environment_and_amounts() -> None:
    assert environment_name("NCCL_DEBUG") == "" and environment_name("LDAP") == ""
    assert "LD_PRELOAD is not for jobs to set" in environment_name("LD_PRELOAD")
    assert amount("cpu")("500m") == "" and amount("cpu")("0") != "" and amount("memory")([1]) != ""
