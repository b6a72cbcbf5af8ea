"""The lines that follow, as server-sent events. Each event is a batch; its id lets a new connection go on after it."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, suppress
from datetime import UTC, tzinfo
from time import monotonic

from django.conf import settings
from django.db import DatabaseError, InterfaceError

from jobs.logs.cursor import Cursor
from jobs.logs.lines import LogLine, parse
from jobs.models import Pod, Submission
from portal import live
from portal.kube.client import Cluster
from portal.kube.errors import ClusterError, NotFound
from portal.kube.follow import follow_log

BATCH_SECONDS = 0.25
BATCH_LINES = 1000
REST_SECONDS = 2.0
FIRST_LINES = 200
END = b"event: end\ndata: end\n\n"


async def stream(
    cluster: Cluster,
    submission: Submission,
    pod: Pod,
    *,
    after: str = "",
    allowed: Callable[[], object],
    zone: tzinfo = UTC,
    slot: live.Slot | None = None,
) -> AsyncIterator[bytes]:
    """text/event-stream: each message is a JSON array of {"time", "clock", "text"}; "end" says that nothing can follow.

    `after` is the id of the newest message that came (Last-Event-ID). `allowed`: see portal.live.Gate. It all lives
    STREAM_MAX_SECONDS at most.
    """
    until = monotonic() + settings.STREAM_MAX_SECONDS
    cursor, gate = Cursor(after), live.Gate(allowed, slot)
    try:
        yield live.RETRY
        await live.let_go_of_database()
        while monotonic() < until:
            async with aclosing(_turn(cluster, submission, pod, cursor)) as batches:
                async for batch in batches:
                    if not await gate.open():
                        yield END
                        return
                    yield _message(batch, cursor, zone) if batch else live.PING
                    if monotonic() >= until:
                        return
            if cursor.gone or await _ended(pod):
                yield END
                return
            await asyncio.sleep(REST_SECONDS)
    except (DatabaseError, InterfaceError):
        return  # nobody can say whether the reader may still see this: the browser asks anew
    finally:
        await live.release(slot)


async def _turn(cluster: Cluster, submission: Submission, pod: Pod, cursor: Cursor) -> AsyncGenerator[list[LogLine]]:
    """One request: batches of new lines, an empty one when nothing came for a while. Ends with the request."""
    cursor.rewind()
    lines = follow_log(
        cluster,
        submission.namespace,
        pod.name,
        container=pod.container,
        since_time=cursor.time,
        tail_lines=None if cursor.time else FIRST_LINES,
    )
    queue: asyncio.Queue[bytes | ClusterError | None] = asyncio.Queue(2 * BATCH_LINES)
    pump = asyncio.create_task(_pump(lines, queue))
    try:
        more = True
        while more:
            batch, more = await _batch(queue, cursor)
            yield batch
    finally:
        pump.cancel()
        with suppress(asyncio.CancelledError):
            await pump


async def _pump(lines: AsyncGenerator[bytes], queue: "asyncio.Queue[bytes | ClusterError | None]") -> None:
    end: ClusterError | None = None
    try:
        async with aclosing(lines):
            async for line in lines:
                await queue.put(line)
    except ClusterError as error:  # not started yet, gone, or unreachable: the stream goes on after a rest, or ends
        end = error
    await queue.put(end)


async def _batch(queue: "asyncio.Queue[bytes | ClusterError | None]", cursor: Cursor) -> tuple[list[LogLine], bool]:
    """The new ones of the lines that arrive within a quarter of a second, and whether more can come."""
    found: list[LogLine] = []
    deadline = monotonic() + live.PING_SECONDS
    while len(found) < BATCH_LINES:
        try:
            item = await asyncio.wait_for(queue.get(), max(0.0, deadline - monotonic()))
        except TimeoutError:
            break
        if not isinstance(item, bytes):
            cursor.gone = isinstance(item, NotFound)
            return found, False
        line = parse(item)
        if item and cursor.is_new(line.time):
            if not found:
                deadline = monotonic() + BATCH_SECONDS
            found.append(line)
    return found, True


def _message(batch: list[LogLine], cursor: Cursor, zone: tzinfo) -> bytes:
    data = json.dumps([line.as_json(zone) for line in batch], ensure_ascii=False)
    return f"id: {cursor}\ndata: {data}\n\n".encode()


async def _ended(pod: Pod) -> bool:
    """Whether this pod can print no more, as the mirror knows."""
    row = await Pod.objects.filter(pk=pod.pk).values("phase", "gone_at").afirst()
    await live.let_go_of_database()
    return row is None or row["gone_at"] is not None or row["phase"] in {"Succeeded", "Failed"}
