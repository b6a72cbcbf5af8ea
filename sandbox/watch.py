"""Watches: what changed after a version, for as long as somebody listens."""

import asyncio
import random
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass

from sandbox.errors import StatusError
from sandbox.history import Change
from sandbox.kinds import Kind
from sandbox.listing import check_options, version_of
from sandbox.paths import Target
from sandbox.query import flag, whole
from sandbox.records import Record, encode
from sandbox.selectors import Match, matcher
from sandbox.store import Store

BOOKMARK_SECONDS = 60.0


class Pulse:
    """Wakes every open stream, from any thread, when something was committed; ends them when the server stops."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._next = asyncio.Event()
        self.stopped = False

    def attach(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def beat(self) -> None:
        if self._loop and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake)

    def stop(self) -> None:
        self.stopped = True
        self.beat()

    def next(self) -> asyncio.Event:
        """The next beat. Take it before looking at the store, then nothing falls between."""
        return self._next

    def _wake(self) -> None:
        woken, self._next = self._next, asyncio.Event()
        woken.set()


async def wait(event: asyncio.Event, seconds: float) -> None:
    """Until the event or the end of the time, whichever is first."""
    try:
        await asyncio.wait_for(event.wait(), max(seconds, 0))
    except TimeoutError:
        return


@dataclass(slots=True)
class Watch:
    """One watch, ready to stream. Making it checks the query; a version from before this process is a 410."""

    store: Store
    pulse: Pulse
    kind: Kind
    namespace: str
    matches: Match
    version: int
    initial: bool
    bookmarks: bool
    ends_initial: bool
    seconds: float
    bookmark_seconds: float = BOOKMARK_SECONDS

    async def stream(self) -> AsyncIterator[bytes]:
        """Chunks of lines, one event a line."""
        now = asyncio.get_running_loop().time
        end, bookmark = now() + self.seconds, now() + self.bookmark_seconds
        if self.initial:
            yield self._present()
        while not self.pulse.stopped:
            beat = self.pulse.next()
            try:
                changes = self.store.changes_since(self.version)
            except StatusError as error:
                yield _line("ERROR", encode(error.body()))
                return
            if changes:
                self.version = changes[-1].record.version
                lines = b"".join(self._event(change) for change in changes)
                if lines:
                    yield lines
            if self.bookmarks and now() >= min(bookmark, end):
                bookmark = now() + self.bookmark_seconds
                yield self._bookmark()
            if now() >= end:
                return
            await wait(beat, min(bookmark, end) - now() if self.bookmarks else end - now())

    def _present(self) -> bytes:
        """ADDED for everything there is, and the bookmark that ends it where it was asked for."""
        held = self.store.select(self.kind.resource, self.namespace or None)
        self.version = self.store.version
        lines = b"".join(_line("ADDED", record.text) for record in held if self.matches(record))
        return lines + (self._bookmark(ends_initial=True) if self.ends_initial else b"")

    def _event(self, change: Change) -> bytes:
        """The line of a change, as seen through the selector; b"" when it is not seen."""
        record, before = change.record, change.before
        if record.resource != self.kind.resource or (self.namespace and record.namespace != self.namespace):
            return b""
        is_in = change.type != "DELETED" and self.matches(record)
        was_in = before is not None and self.matches(before)
        if is_in:
            return _line("MODIFIED" if was_in else "ADDED", record.text)
        if was_in and before is not None:
            return _line("DELETED", _last_state(before, record))
        return b""

    def _bookmark(self, ends_initial: bool = False) -> bytes:
        meta: dict[str, object] = {"resourceVersion": str(self.version)}
        if ends_initial:
            meta["annotations"] = {"k8s.io/initial-events-end": "true"}
        return _line(
            "BOOKMARK", encode({"kind": self.kind.kind, "apiVersion": self.kind.api_version, "metadata": meta})
        )


def open_watch(store: Store, pulse: Pulse, target: Target, query: Mapping[str, str]) -> Watch:
    """The watch that a query asks for; raises the StatusError of a query that cannot be served."""
    check_options(query, watch=True)
    fields = query.get("fieldSelector", "")
    if target.name:
        fields = ",".join(part for part in (fields, f"metadata.name={target.name}") if part)
    version = version_of(query)
    sends_initial = query.get("sendInitialEvents") == "true"
    initial = sends_initial or (version == 0 and query.get("sendInitialEvents") != "false")
    bookmarks = flag(query, "allowWatchBookmarks")
    if version and not sends_initial:
        store.check_known(version)
    return Watch(
        store=store,
        pulse=pulse,
        kind=target.kind,
        namespace=target.namespace,
        matches=matcher(target.kind.resource, query.get("labelSelector", ""), fields),
        version=version or store.version,
        initial=initial,
        bookmarks=bookmarks,
        ends_initial=initial and bookmarks,
        # Without a word from the client a watch lives 30 to 60 minutes.
        seconds=max(whole(query, "timeoutSeconds", 0), 0) or random.uniform(1800, 3600),
    )


def _line(kind: str, text: str) -> bytes:
    return f'{{"type":"{kind}","object":{text}}}\n'.encode()


def _last_state(before: Record, after: Record) -> str:
    """An object that left the selection: its last state inside it, with the version at which it left."""
    obj = {**before.obj, "metadata": {**before.obj["metadata"], "resourceVersion": str(after.version)}}
    return encode(obj)
