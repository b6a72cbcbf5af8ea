import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from portal.management.embedded.ports import free_port
from portal.management.embedded.redis import Redis, RedisFailed
from portal.management.embedded.tether import end


@contextmanager
def running(service: Redis) -> Iterator["subprocess.Popen[bytes]"]:
    service.prepare()
    server = subprocess.Popen(service.command(), stdout=subprocess.DEVNULL)
    try:
        service.wait()
        yield server
    finally:
        end(server)


@pytest.fixture
def service(tmp_path: Path) -> Redis:
    return Redis(tmp_path / "redis", free_port(), "a-password")


def test_data_outlives_the_server_being_killed(service: Redis) -> None:
    with running(service) as server:
        with redis.Redis.from_url(service.url) as client:
            client.set("kept", "7")
        server.kill()
    with running(service), redis.Redis.from_url(service.url) as client:
        assert client.get("kept") == b"7"


def test_it_asks_for_the_password_and_drops_nothing(service: Redis) -> None:
    with running(service):
        with redis.Redis.from_url(service.url) as client:
            assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
        guess = redis.Redis.from_url(service.url.replace("a-password", "a-guess"))
        with guess, pytest.raises(redis.AuthenticationError):
            guess.ping()
    assert service.configuration.stat().st_mode & 0o777 == 0o600


def test_a_server_that_does_not_answer_is_said_to(service: Redis) -> None:
    with pytest.raises(RedisFailed, match=r"did not answer within 0\.1 s"):
        service.wait(seconds=0.1)
