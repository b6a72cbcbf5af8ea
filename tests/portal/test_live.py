"""Streams of names over a real Redis."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import aclosing
from time import time

import pytest
import redis
from django.conf import settings
from django.db import OperationalError, transaction
from pytest_django import DjangoCaptureOnCommitCallbacks

from portal import live


@pytest.fixture(autouse=True)
def trusting(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test before this one may have met a dead Redis."""
    monkeypatch.setattr(live, "_quiet_until", 0.0)


async def first(items: AsyncIterator[bytes], count: int) -> list[bytes]:
    return [await asyncio.wait_for(anext(items), 5) for _ in range(count)]


def channel() -> str:
    return f"submission.{uuid.uuid4()}"


def always() -> bool:
    return True


def nowhere(settings) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:9/0"


def test_a_stream_tells_the_name_of_what_changed() -> None:
    name = channel()

    async def listen() -> list[bytes]:
        async with aclosing(live.stream([channel(), name], allowed=always)) as stream:
            opened = await first(stream, 2)
            await asyncio.to_thread(live._publish, name)
            return opened + await first(stream, 1)

    assert asyncio.run(listen()) == [b"retry: 2000\n\n", b": open\n\n", f"data: {name}\n\n".encode()]


def test_a_stream_keeps_quiet_about_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "PING_SECONDS", 0.2)

    async def listen() -> list[bytes]:
        async with aclosing(live.stream([channel()], allowed=always)) as stream:
            await first(stream, 2)
            await asyncio.to_thread(live._publish, channel())
            return await first(stream, 1)

    assert asyncio.run(listen()) == [live.PING]


def test_a_stream_ends_when_its_reader_may_no_longer_listen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "PING_SECONDS", 0.01)
    monkeypatch.setattr(live, "RECHECK_SECONDS", 0.0)
    answers = iter([True, True, False])  # Redis' own answer to the subscription takes the first turn

    async def listen() -> list[bytes]:
        return [item async for item in live.stream([channel()], allowed=lambda: next(answers))]

    assert asyncio.run(listen()) == [b"retry: 2000\n\n", b": open\n\n", live.PING]


def test_a_stream_ends_after_its_time(settings) -> None:
    settings.STREAM_MAX_SECONDS = 0

    async def listen() -> list[bytes]:
        return [item async for item in live.stream([channel()], allowed=always)]

    assert asyncio.run(listen()) == [b"retry: 2000\n\n", b": open\n\n"]


def test_a_stream_without_redis_ends_and_tells_when_to_come_again(settings) -> None:
    nowhere(settings)

    async def listen() -> list[bytes]:
        return [item async for item in live.stream([channel()], allowed=always)]

    assert asyncio.run(listen()) == [b"retry: 2000\n\n"]


def test_nothing_is_told_before_the_commit(
    db: None, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    name = channel()
    listener = redis.Redis.from_url(settings.REDIS_URL).pubsub()
    listener.subscribe(live.PREFIX + name)
    listener.get_message(timeout=5)
    with django_capture_on_commit_callbacks(execute=True):
        with transaction.atomic():
            live.announce(name)
        assert listener.get_message(timeout=0.1) is None
    assert listener.get_message(timeout=5)["data"] == name.encode()
    listener.close()


def test_a_dead_redis_is_left_alone_for_a_while(settings) -> None:
    nowhere(settings)
    live._publish(channel())
    assert live._quiet_until > 0


def test_streams_are_counted_per_person(settings) -> None:
    settings.STREAMS_PER_USER = 2
    person = uuid.uuid4()
    slots = [live.claim(person), live.claim(person)]
    with pytest.raises(live.TooManyStreams, match="2 live pages"):
        live.claim(person)
    live.claim(uuid.uuid4())
    asyncio.run(live.release(slots[0]))
    live.claim(person)


def test_a_stream_gives_its_slot_back(settings) -> None:
    settings.STREAMS_PER_USER = 1
    person = uuid.uuid4()

    async def listen() -> None:
        async with aclosing(live.stream([channel()], allowed=always, slot=live.claim(person))) as stream:
            await first(stream, 2)

    asyncio.run(listen())
    live.claim(person)


def test_a_reader_who_leaves_at_the_first_byte_gives_the_slot_back(settings) -> None:
    settings.STREAMS_PER_USER = 1
    person = uuid.uuid4()

    async def listen() -> None:
        async with aclosing(live.stream([channel()], allowed=always, slot=live.claim(person))) as stream:
            await first(stream, 1)

    asyncio.run(listen())
    live.claim(person)


def test_a_slot_that_is_not_kept_falls_free(settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.STREAMS_PER_USER = 2
    person = uuid.uuid4()
    kept, _lost = live.claim(person), live.claim(person)
    monkeypatch.setattr(live, "time", lambda: time() + live.SLOT_SECONDS + 1)
    asyncio.run(live.keep(kept))
    live.claim(person)
    with pytest.raises(live.TooManyStreams):
        live.claim(person)


def test_a_stream_keeps_its_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "RECHECK_SECONDS", 0.0)
    monkeypatch.setattr(live, "PING_SECONDS", 0.01)
    slot = live.claim(uuid.uuid4())
    client = redis.Redis.from_url(settings.REDIS_URL)
    client.zadd(slot.key, {slot.member: 0})

    async def listen() -> float | None:
        async with aclosing(live.stream([channel()], allowed=always, slot=slot)) as stream:
            await first(stream, 3)
            return client.zscore(slot.key, slot.member)

    assert asyncio.run(listen())


def test_a_stream_ends_when_the_database_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody can say whether the reader may still listen."""
    monkeypatch.setattr(live, "RECHECK_SECONDS", 0.0)

    def fails() -> bool:
        raise OperationalError

    async def listen() -> list[bytes]:
        return [item async for item in live.stream([channel()], allowed=fails)]

    assert asyncio.run(listen()) == [b"retry: 2000\n\n", b": open\n\n"]


def test_without_redis_nobody_is_counted(settings) -> None:
    nowhere(settings)
    live.claim(uuid.uuid4())


def test_a_stream_ends_when_redis_drops_it() -> None:
    """What was missed meanwhile is not known, so the browser must come again and refresh."""

    async def listen() -> list[bytes]:
        async with aclosing(live.stream([channel()], allowed=always)) as stream:
            await first(stream, 2)
            dropped = redis.Redis.from_url(settings.REDIS_URL)
            await asyncio.to_thread(dropped.client_kill_filter, _type="pubsub")
            dropped.close()
            return await asyncio.wait_for(_rest(stream), 5)

    assert asyncio.run(listen()) == []


async def _rest(items: AsyncIterator[bytes]) -> list[bytes]:
    return [item async for item in items]
