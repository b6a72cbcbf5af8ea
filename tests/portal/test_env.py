from pathlib import Path

import pytest

from portal.env import ConfigurationError, env_bool, env_int, env_list, env_secret, env_str


def test_a_missing_value_names_its_variable() -> None:
    with pytest.raises(ConfigurationError, match="Set CM_TEST"):
        env_str("CM_TEST")


@pytest.mark.parametrize(("text", "value"), [("1", True), ("TRUE", True), ("off", False), ("", False)])
def test_env_bool(monkeypatch: pytest.MonkeyPatch, text: str, value: bool) -> None:
    monkeypatch.setenv("CM_TEST", text)
    assert env_bool("CM_TEST") is value


def test_env_bool_refuses_a_guess(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CM_TEST", "yess")
    with pytest.raises(ConfigurationError, match="use 1 or 0"):
        env_bool("CM_TEST")


def test_env_int_refuses_a_fraction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CM_TEST", "1.5")
    with pytest.raises(ConfigurationError, match="whole number"):
        env_int("CM_TEST", 1)


def test_env_list_drops_blanks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CM_TEST", " a, ,b ")
    assert env_list("CM_TEST") == ["a", "b"]


def test_a_secret_may_stand_in_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("value\n")
    monkeypatch.setenv("CM_TEST_FILE", str(tmp_path / "secret"))
    assert env_secret("CM_TEST") == "value"


def test_an_unreadable_secret_names_its_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CM_TEST_FILE", str(tmp_path / "absent"))
    with pytest.raises(ConfigurationError, match="absent"):
        env_secret("CM_TEST")
