"""List, then watch: three nested generators with one duty each (the shape is kopf's, kopf/_cogs/clients/watching.py).

`follow` goes on for ever and rests after faults; `list_then_watch` begins with a complete list and goes on until the
next one is due; `stream` is one HTTP request. The protocol is that of Kubernetes 1.36, "API concepts".
"""

import json
import logging
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Event
from time import monotonic
from typing import Any

from portal.kube.client import Cluster
from portal.kube.discovery import served
from portal.kube.errors import ClusterError, ClusterUnavailable, Expired, from_status
from portal.kube.kinds import Kind, Object

logger = logging.getLogger(__name__)

FIRST_REST_SECONDS = 0.5
LONGEST_REST_SECONDS = 5.0


@dataclass(frozen=True)
class Listed:
    """A complete list. What existed before `began_at` and is not in it is gone."""

    items: list[Object]
    began_at: datetime


@dataclass(frozen=True)
class Changed:
    """One object was ADDED or MODIFIED, or, with `deleted`, left the watch: deleted, or its labels match no more."""

    obj: Object
    deleted: bool


@dataclass(frozen=True)
class Bookmark:
    """Nothing changed, and the server is alive."""


@dataclass(frozen=True)
class Lost:
    """The cluster does not answer, or not usefully. The next item will be Listed or Lost."""

    error: ClusterError


@dataclass(frozen=True)
class Watched:
    """What to watch, and for how many seconds: one request, and until a complete list although nothing is amiss."""

    kind: Kind
    label_selector: str = ""
    request_seconds: int = 300
    relist_seconds: int = 300


def follow(cluster: Cluster, watched: Watched, stop: Event) -> Iterator[Listed | Changed | Bookmark | Lost]:
    """Everything that happens to a kind until `stop` is set. Faults are reported as Lost and rested out (at most 5 s).

    `stop` is looked at between items: a silent stream notices it only at its next line, or after 70 s.
    """
    rest = FIRST_REST_SECONDS
    while not stop.is_set():
        try:
            for item in list_then_watch(cluster, watched):
                rest = FIRST_REST_SECONDS
                yield item
                if stop.is_set():
                    return
            continue
        except Expired as error:
            logger.info("Listing %s again: %s", watched.kind, error)
        except ClusterError as error:
            logger.warning("Watching %s again in %.1f s: %s", watched.kind, rest, error)
            yield Lost(error)
        stop.wait(rest * random.uniform(0.5, 1.0))
        rest = min(rest * 2, LONGEST_REST_SECONDS)


def list_then_watch(cluster: Cluster, watched: Watched) -> Iterator[Listed | Changed | Bookmark]:
    """A complete list and what follows it, until the next list is due. Raises ClusterError; Expired: list again."""
    kind = served(cluster, watched.kind)
    # Spread, so that the kinds do not all list at once.
    deadline = monotonic() + watched.relist_seconds * random.uniform(0.8, 1.0)
    began_at = datetime.now(UTC)
    listing = cluster.list(kind, label_selector=watched.label_selector)
    yield Listed(listing.items, began_at)
    version = listing.resource_version
    while (left := deadline - monotonic()) > 1:
        opened = monotonic()
        seconds = max(1, min(watched.request_seconds, int(left)))
        for line in stream(cluster, kind, version, label_selector=watched.label_selector, seconds=seconds):
            version = line.resource_version or version
            yield line.item
        if monotonic() - opened < FIRST_REST_SECONDS:
            raise ClusterUnavailable(f"The watch of {kind} was closed at once.")


@dataclass(frozen=True)
class Line:
    item: Changed | Bookmark
    resource_version: str  # where a next request continues; opaque, never compared


def stream(cluster: Cluster, kind: Kind, resource_version: str, *, label_selector: str, seconds: int) -> Iterator[Line]:
    """One watch request, until the server ends it. Raises Expired for a 410 in either form and for an unreadable line.

    A line that is no event may have been a change: the list that follows Expired makes up for it.
    """
    for raw in cluster.watch_lines(
        kind, resource_version=resource_version, label_selector=label_selector, seconds=seconds
    ):
        if not raw.strip():
            continue
        event = _event(raw)
        kind_of_event, obj = event.get("type"), event.get("object")
        if not isinstance(obj, dict):
            raise Expired(f"The watch of {kind} sent an event without an object.")
        if kind_of_event == "ERROR":
            raise from_status(_code(obj), obj)
        version = _version(obj)
        if kind_of_event == "BOOKMARK":
            yield Line(Bookmark(), version)
        elif kind_of_event in {"ADDED", "MODIFIED", "DELETED"}:
            yield Line(Changed(obj, deleted=kind_of_event == "DELETED"), version)
        else:
            raise Expired(f"The watch of {kind} sent an event of unknown type {str(kind_of_event)[:40]!r}.")


def _event(raw: bytes) -> Mapping[str, Any]:
    try:
        event = json.loads(raw)
    except ValueError as error:
        raise Expired(f"The watch sent a line that is no JSON: {raw[:60]!r}") from error
    if not isinstance(event, dict):
        raise Expired(f"The watch sent a line that is no event: {raw[:60]!r}")
    return event


def _code(status: Object) -> int:
    code = status.get("code")
    return code if isinstance(code, int) and code >= 400 else 500


def _version(obj: Object) -> str:
    metadata = obj.get("metadata")
    version = metadata.get("resourceVersion") if isinstance(metadata, dict) else None
    return version if isinstance(version, str) else ""
