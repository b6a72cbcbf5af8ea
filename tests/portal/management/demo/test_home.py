from pathlib import Path

import pytest

from portal.management.demo.home import AlreadyRunning, Home, Run


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "demo")


RUN = Run(mark="m", pid=1, url="http://localhost:8000/", folder="f", supervisor="s", environment={"A": "b"})


def test_a_second_demo_is_told_where_the_first_one_is(home: Home) -> None:
    with home.lock():
        home.write_run(RUN)
        with pytest.raises(AlreadyRunning, match=r"already running at http://localhost:8000/ \(process \d+\)"):
            home.lock()
    home.lock().close()


def test_only_the_owner_can_read(home: Home) -> None:
    with home.lock():
        home.secrets()
        home.write_run(RUN)
    assert home.path.stat().st_mode & 0o777 == 0o700
    assert {file.name: oct(file.stat().st_mode & 0o777) for file in home.path.iterdir()} == {
        "lock": "0o600",
        "run.json": "0o600",
        "secrets.json": "0o600",
    }


def test_secrets_are_random_and_stay(home: Home, tmp_path: Path) -> None:
    other = Home(tmp_path / "other")
    with home.lock(), other.lock():
        assert home.secrets() == home.secrets() != other.secrets()


def test_a_database_whose_password_is_gone_is_not_kept(home: Home) -> None:
    with home.lock():
        (home.postgres / "data").mkdir(parents=True)
        home.secrets()
        assert not home.postgres.exists()


def test_a_run_is_remembered_until_it_ends(home: Home) -> None:
    with home.lock():
        home.write_run(RUN)
        assert home.last_run() == RUN
        home.forget_run()
        assert home.last_run() is None


def test_a_reset_forgets_everything(home: Home) -> None:
    with home.lock():
        before = home.secrets()
        (home.path / "redis").mkdir()
        home.reset()
        assert [file.name for file in home.path.iterdir()] == ["lock"]
        assert home.secrets() != before
