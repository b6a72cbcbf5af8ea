"""Tells open pages that something changed. Only a channel's name travels, never data: the page asks for its part again.

Channels: `submission.<uid>`, `jobs.<tenant uid>`, `queue.<cluster queue uid>`. Redis carries them and may lose them:
pages refresh whenever their stream opens anew.
"""

import logging
import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from time import monotonic, time
from uuid import UUID

import redis
import redis.asyncio
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import DatabaseError, InterfaceError, transaction
from django.utils.translation import gettext as _
from redis.exceptions import RedisError

from portal import database
from portal.errors import PortalError

logger = logging.getLogger(__name__)

PREFIX = "live."
PING_SECONDS = 15
RECHECK_SECONDS = 30.0
SLOT_SECONDS = 3 * RECHECK_SECONDS
RETRY = b"retry: 2000\n\n"
PING = b": ping\n\n"
# After a fault nobody announces for so long: a dead Redis must not slow the mirror down.
QUIET_SECONDS = 2.0
_quiet_until = 0.0


class TooManyStreams(PortalError):
    """429: this person has as many open streams as one may have."""

    def __init__(self) -> None:
        message = _("You have %(limit)d live pages open, the most one may have. Close one of them.")
        super().__init__(
            "too_many_streams", message % {"limit": settings.STREAMS_PER_USER}, 429, extra={"retry_after": 10}
        )


def announce(channel: str) -> None:
    """Once the transaction is committed, tell whoever listens. Never raises: a lost word costs one refresh."""
    transaction.on_commit(lambda: _publish(channel))


def _publish(channel: str) -> None:
    global _quiet_until
    if monotonic() < _quiet_until:
        return
    try:
        _client(settings.REDIS_URL).publish(PREFIX + channel, channel)
    except RedisError as error:
        _quiet_until = monotonic() + QUIET_SECONDS
        logger.warning("Open pages were not told of %s: %s", channel, error)


@dataclass(frozen=True)
class Slot:
    """One of a person's open streams, counted over all web processes."""

    key: str
    member: str


def claim(user_uid: UUID) -> Slot:
    """Take one of the person's STREAMS_PER_USER slots. Raises TooManyStreams.

    A slot that nobody released (a killed process, a reader who left before the first byte) falls free when it was
    not kept for SLOT_SECONDS. Without Redis none is counted.
    """
    slot = Slot(f"streams.{user_uid}", secrets.token_hex(8))
    now = time()
    try:
        client = _client(settings.REDIS_URL)
        client.zremrangebyscore(slot.key, 0, now - SLOT_SECONDS)
        client.zadd(slot.key, {slot.member: now})
        client.expire(slot.key, settings.STREAM_MAX_SECONDS)
        taken = client.zcard(slot.key)
        if taken > settings.STREAMS_PER_USER:
            client.zrem(slot.key, slot.member)
            raise TooManyStreams
    except RedisError as error:
        logger.warning("Open streams are not counted: %s", error)
    return slot


async def keep(slot: Slot | None) -> None:
    """Tell that the stream still lives."""
    if slot is None:
        return
    with suppress(RedisError):
        async with _async_client() as client:
            await client.zadd(slot.key, {slot.member: time()})
            await client.expire(slot.key, settings.STREAM_MAX_SECONDS)


async def release(slot: Slot | None) -> None:
    if slot is None:
        return
    with suppress(RedisError):
        async with _async_client() as client:
            await client.zrem(slot.key, slot.member)


class Gate:
    """Whether a reader may still see what stays open. The view checked at first; here it is asked again every 30 s.

    `allowed` raises PortalError, or returns False, when it is over. It runs in a thread and may use the database.
    `slot` is kept meanwhile.
    """

    def __init__(self, allowed: Callable[[], object], slot: Slot | None) -> None:
        self._allowed = allowed
        self._slot = slot
        self._checked = monotonic()

    async def open(self) -> bool:
        if monotonic() - self._checked < RECHECK_SECONDS:
            return True
        self._checked = monotonic()
        await keep(self._slot)
        try:
            return await sync_to_async(self._allowed)() is not False
        except PortalError:
            return False
        finally:
            await let_go_of_database()


async def stream(
    channels: Sequence[str], *, allowed: Callable[[], object], slot: Slot | None = None
) -> AsyncIterator[bytes]:
    """A text/event-stream of the names of `channels` that changed, for at most STREAM_MAX_SECONDS.

    It ends when Redis does not answer, and when the reader may no longer listen; the browser opens it again
    (retry: 2 s) and hears from the view why not.
    """
    until, gate = monotonic() + settings.STREAM_MAX_SECONDS, Gate(allowed, slot)
    try:
        yield RETRY
        await let_go_of_database()
        async with _async_client() as client, client.pubsub() as listener:
            await listener.subscribe(*(PREFIX + channel for channel in channels))
            yield b": open\n\n"
            while (left := until - monotonic()) > 0 and await gate.open():
                message = await listener.get_message(timeout=min(PING_SECONDS, left))
                if message is None:
                    yield PING
                elif message["type"] == "message":
                    yield b"data: " + message["data"] + b"\n\n"
    except RedisError as error:
        logger.warning("A live stream ends: %s", error)
    except (DatabaseError, InterfaceError):
        return  # nobody can say whether the reader may still listen: the browser asks anew
    finally:
        await release(slot)


async def let_go_of_database() -> None:
    """Of the request's connection: a stream lives for minutes."""
    await sync_to_async(database.let_go)()


@cache
def _client(url: str) -> redis.Redis:
    return redis.Redis.from_url(url, socket_timeout=1, socket_connect_timeout=1)


def _async_client() -> redis.asyncio.Redis:
    return redis.asyncio.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=2)
