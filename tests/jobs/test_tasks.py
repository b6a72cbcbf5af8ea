"""Hints go through a real Redis, and without one cost nobody anything."""

import json
import socket
from collections.abc import Iterator
from time import monotonic

import pytest
import redis
from celery import current_app
from django.conf import settings

from jobs.tasks import launch_submission, send_hint

LANE = "launch"


@pytest.fixture
def broker() -> Iterator[redis.Redis]:
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        client.delete(LANE)
        yield client
        client.delete(LANE)


@pytest.fixture
def broker_at(monkeypatch: pytest.MonkeyPatch):
    """Celery keeps its configuration for the whole process, so a test has to put it back."""

    def use(port: int) -> None:
        monkeypatch.setattr(current_app.conf, "broker_write_url", f"redis://:x@127.0.0.1:{port}/0")

    return use


def test_a_hint_is_an_id_in_the_lane_of_launches(broker: redis.Redis) -> None:
    send_hint(17)
    (message,) = broker.lrange(LANE, 0, -1)
    headers = json.loads(message)["headers"]
    assert (headers["task"], headers["argsrepr"]) == ("jobs.launch", "(17,)")


def test_without_a_broker_a_hint_costs_nothing_and_is_told(broker_at, caplog: pytest.LogCaptureFixture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    broker_at(port)
    began = monotonic()
    send_hint(17)
    assert monotonic() - began < 0.5
    assert "No worker was told of submission 17, the sweeper will find it" in caplog.text


def test_a_broker_that_does_not_answer_costs_less_than_a_second(broker_at, caplog: pytest.LogCaptureFixture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        broker_at(silent.getsockname()[1])
        began = monotonic()
        send_hint(17)
    assert monotonic() - began < 1
    assert "No worker was told of submission 17" in caplog.text


@pytest.mark.django_db
def test_a_hint_about_nothing_does_nothing() -> None:
    launch_submission(0)
