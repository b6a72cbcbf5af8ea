"""`pods/log`: the kubelet's lines, cut and followed as the query asks (k8s.io/api, core/v1 PodLogOptions)."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sandbox import errors, kubelet
from sandbox.clock import parse
from sandbox.errors import StatusError
from sandbox.podstatus import ENDED
from sandbox.query import flag, whole
from sandbox.records import Record
from sandbox.store import Store
from sandbox.watch import Pulse, wait

_POLL_SECONDS = 1.0
_LONGEST_SECONDS = 10 * 365 * 86_400

Lines = Sequence[tuple[datetime, str]]


@dataclass(frozen=True, slots=True)
class LogOptions:
    """The query of a log request."""

    container: str | None
    follow: bool
    previous: bool
    timestamps: bool
    since: datetime | None
    tail: int | None
    limit_bytes: int | None


def options_of(pod: str, query: Mapping[str, str], now: datetime) -> LogOptions:
    """Read and check a query; 422 in the words of kube-apiserver, 400 for what is no number and no time at all."""
    seconds, moment = _count(pod, query, "sinceSeconds", 1), query.get("sinceTime")
    if seconds and moment:
        message = "Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified"
        raise errors.invalid("PodLogOptions", pod, [errors.cause("FieldValueForbidden", message, "[]")])
    since = None
    if seconds:
        since = now - timedelta(seconds=min(seconds, _LONGEST_SECONDS))
    elif moment:
        try:
            since = parse(moment)
        except ValueError as error:
            raise errors.bad_request(f"sinceTime: {error}") from error
    return LogOptions(
        container=query.get("container") or None,
        follow=flag(query, "follow"),
        previous=flag(query, "previous"),
        timestamps=flag(query, "timestamps"),
        since=since,
        tail=_count(pod, query, "tailLines", 0),
        limit_bytes=_count(pod, query, "limitBytes", 1),
    )


def _count(pod: str, query: Mapping[str, str], name: str, least: int) -> int | None:
    if not query.get(name):
        return None
    number = whole(query, name, 0)
    if number < least:
        message = f"Invalid value: {number}: must be greater than or equal to {least}"
        raise errors.invalid("PodLogOptions", pod, [errors.cause("FieldValueInvalid", message, name)])
    return number


def open_log(store: Store, pulse: Pulse, record: Record, options: LogOptions) -> AsyncIterator[bytes]:
    """The log as a stream. Raises the StatusError of a log that is not there before anything is streamed."""
    lines = kubelet.log_lines(store, record.copy(), options.container, options.previous)
    return _cut(_stream(store, pulse, record, options, lines), options.limit_bytes)


async def _stream(
    store: Store, pulse: Pulse, record: Record, options: LogOptions, lines: Lines
) -> AsyncIterator[bytes]:
    yield _text(_selected(lines, options), options)
    sent = len(lines)
    while options.follow and not options.previous and not pulse.stopped:
        beat = pulse.next()
        current = store.peek(*record.key)
        if current is None or current.uid != record.uid:
            return
        try:
            lines = kubelet.log_lines(store, current.copy(), options.container, False)
        except StatusError:
            # The container restarts: a follower's stream ends with the instance it followed.
            return
        if len(lines) < sent:
            return
        if len(lines) > sent:
            yield _text(lines[sent:], options)
            sent = len(lines)
        if not _is_running(current, options.container):
            return
        await wait(beat, _POLL_SECONDS)


async def _cut(chunks: AsyncIterator[bytes], limit: int | None) -> AsyncIterator[bytes]:
    """At most `limit` bytes, wherever that cuts."""
    async for chunk in chunks:
        if limit is None:
            yield chunk
            continue
        yield chunk[:limit]
        limit -= len(chunk)
        if limit <= 0:
            return


def _selected(lines: Lines, options: LogOptions) -> Lines:
    if options.since is not None:
        lines = [line for line in lines if line[0] >= options.since]
    if options.tail is not None:
        lines = lines[-options.tail :] if options.tail else []
    return lines


def _text(lines: Lines, options: LogOptions) -> bytes:
    if options.timestamps:
        return "".join(f"{_nano(moment)} {line}\n" for moment, line in lines).encode()
    return "".join(f"{line}\n" for _, line in lines).encode()


def _nano(moment: datetime) -> str:
    """RFC3339Nano, which leaves trailing zeros out."""
    fraction = f"{moment.microsecond:06d}".rstrip("0")
    return moment.strftime("%Y-%m-%dT%H:%M:%S") + (f".{fraction}" if fraction else "") + "Z"


def _is_running(record: Record, container: str | None) -> bool:
    status = record.obj.get("status", {})
    if status.get("phase") in ENDED:
        return False
    states = status.get("containerStatuses") or []
    named = [item for item in states if container in (None, item["name"])]
    return any("running" in item.get("state", {}) for item in named)


def pod(store: Store, namespace: str, name: str) -> Record:
    record = store.peek("pods", namespace, name)
    if record is None:
        raise errors.not_found("pods", name)
    return record
