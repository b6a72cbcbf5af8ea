import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import psycopg
import pytest

from portal.management.embedded.account import server_account
from portal.management.embedded.postgres import Postgres, PostgresFailed
from portal.management.embedded.tether import end


@contextmanager
def running(postgres: Postgres) -> Iterator["subprocess.Popen[bytes]"]:
    account = server_account()
    server = subprocess.Popen(
        postgres.command(),
        cwd="/",
        stderr=subprocess.DEVNULL,
        user=account.uid,
        group=account.gid,
        extra_groups=account.groups,
    )
    try:
        postgres.wait()
        yield server
    finally:
        end(server)


def kill(server: "subprocess.Popen[bytes]") -> None:
    """Until its children are gone as well, a new server refuses to start."""
    children = psutil.Process(server.pid).children(recursive=True)
    server.kill()
    psutil.wait_procs(children, timeout=10)


@pytest.fixture
def postgres(folder: Path) -> Postgres:
    return Postgres(folder / "home", folder / "sockets", "a-password")


def test_data_outlives_the_server_being_killed(postgres: Postgres) -> None:
    postgres.prepare()
    with running(postgres) as server:
        with psycopg.connect(postgres.url) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 7 AS number")
        kill(server)
    postgres.prepare()
    with running(postgres), psycopg.connect(postgres.url) as connection:
        assert connection.execute("SELECT number FROM kept").fetchone() == (7,)


def test_it_listens_on_a_private_socket_alone_and_asks_for_the_password(postgres: Postgres) -> None:
    postgres.prepare()
    with running(postgres):
        with psycopg.connect(postgres.url) as connection:
            assert connection.execute("SHOW listen_addresses").fetchone() == ("",)
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(postgres.url.replace("a-password", "a-guess"))
    assert postgres.sockets.stat().st_mode & 0o777 == 0o700
    assert postgres.home.stat().st_mode & 0o777 == 0o700


def test_preparing_again_mends_what_was_cut_off(postgres: Postgres) -> None:
    (postgres.home / "data.new").mkdir(parents=True)
    (postgres.home / "data.new" / "PG_VERSION").touch()
    postgres.prepare()
    with running(postgres):
        psycopg.connect(postgres.url).close()


def test_a_server_that_does_not_answer_is_said_to(postgres: Postgres) -> None:
    with pytest.raises(PostgresFailed, match=r"did not answer within 0\.1 s"):
        postgres.wait(seconds=0.1)
