"""Following a kind through everything that can happen to a watch."""

import json
import queue
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest

from portal.kube.client import Cluster
from portal.kube.errors import ClusterUnavailable, Expired
from portal.kube.kinds import NAMESPACE, SERVICE_ACCOUNT, Kind, Ref
from portal.kube.watch import Bookmark, Changed, Listed, Lost, Watched, follow, list_then_watch, stream
from tests.sandboxes import Sandbox, sandbox_process

ACCOUNTS = Watched(SERVICE_ACCOUNT, request_seconds=5, relist_seconds=60)
GONE = {"kind": "Status", "status": "Failure", "reason": "Expired", "code": 410, "message": "too old resource version"}


def make(cluster: Cluster, name: str) -> str:
    obj = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": "cm-team"}}
    return cluster.create(obj)["metadata"]["uid"]


def names(item: object) -> set[str]:
    assert isinstance(item, Listed)
    return {obj["metadata"]["name"] for obj in item.items}


def until(items: Iterator[object], wanted: type) -> object:
    return next(item for item in items if isinstance(item, wanted))


def test_a_list_then_changes(cluster: Cluster) -> None:
    make(cluster, "first")
    items = follow(cluster, ACCOUNTS, Event())
    assert "first" in names(next(items))
    make(cluster, "second")
    changed = until(items, Changed)
    assert (changed.obj["metadata"]["name"], changed.deleted) == ("second", False)


def test_a_deletion_is_told(cluster: Cluster) -> None:
    uid = make(cluster, "short-lived")
    items = follow(cluster, ACCOUNTS, Event())
    next(items)
    cluster.delete(Ref(SERVICE_ACCOUNT, "short-lived", "cm-team"), uid=uid)
    changed = until(items, Changed)
    assert (changed.obj["metadata"]["uid"], changed.deleted) == (uid, True)


def test_a_request_that_ends_goes_on_where_it_stood(cluster: Cluster) -> None:
    items = list_then_watch(cluster, Watched(SERVICE_ACCOUNT, request_seconds=1, relist_seconds=60))
    next(items)
    timer = threading.Timer(1.5, make, (cluster, "in-the-second-request"))
    timer.start()
    assert until(items, Changed).obj["metadata"]["name"] == "in-the-second-request"
    timer.join()


def test_a_list_is_due_although_nothing_is_amiss(cluster: Cluster) -> None:
    items = follow(cluster, Watched(SERVICE_ACCOUNT, request_seconds=1, relist_seconds=3), Event())
    next(items)
    found: queue.Queue[object] = queue.Queue()
    # In a thread of its own: a watch that never lists again is silent for ever, and the test shall say so.
    threading.Thread(target=lambda: found.put(until(items, Listed)), daemon=True).start()
    assert isinstance(found.get(timeout=20), Listed)


def test_a_version_that_is_too_old_means_a_new_list(cluster: Cluster, sandbox: Sandbox) -> None:
    version = cluster.list(SERVICE_ACCOUNT).resource_version
    make(cluster, "one")
    sandbox.compact()
    with pytest.raises(Expired):
        list(stream(cluster, SERVICE_ACCOUNT, version, label_selector="", seconds=5))


def test_a_kind_that_is_missing_is_reported(cluster: Cluster) -> None:
    missing = Kind("kubeflow.org", "v9", "pytorchjobs", "PyTorchJob")
    item = next(follow(cluster, Watched(missing), Event()))
    assert isinstance(item, Lost)
    assert "training-operator" in str(item.error)


def test_a_server_that_is_killed_and_comes_back(tmp_path: Path) -> None:
    with sandbox_process(tmp_path) as sandbox:
        (tmp_path / "token").write_text(sandbox.token)
        cluster = Cluster(url=sandbox.url, token_file=str(tmp_path / "token"))
        items = follow(cluster, Watched(NAMESPACE), Event())
        before = names(next(items))
        sandbox.kill()
        assert isinstance(until(items, Lost), Lost)
        sandbox.start()
        cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "cm-while-away"}})
        assert names(until(items, Listed)) in (before, before | {"cm-while-away"})


@contextmanager
def answering(*lines: bytes) -> Iterator[tuple[Cluster, Event]]:
    """A server whose every watch consists of `lines`."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(head + b"".join(line + b"\n" for line in lines))

        thread = threading.Thread(target=serve)
        thread.start()
        yield Cluster(url=f"http://127.0.0.1:{server.getsockname()[1]}", token_file="/dev/null"), Event()
        thread.join(5)


def event(kind: str, name: str = "a", version: str = "7") -> bytes:
    return json.dumps({"type": kind, "object": {"metadata": {"name": name, "resourceVersion": version}}}).encode()


def read(*lines: bytes) -> list:
    with answering(*lines) as (cluster, _):
        return list(stream(cluster, SERVICE_ACCOUNT, "1", label_selector="", seconds=5))


def test_versions_come_from_events_and_bookmarks() -> None:
    lines = read(event("ADDED", version="5"), b"", event("BOOKMARK", version="9"))
    assert [line.resource_version for line in lines] == ["5", "9"]
    assert isinstance(lines[1].item, Bookmark)


@pytest.mark.parametrize(
    "junk",
    [b"{", b"null", b"[]", b"\xff\xfe", b'{"type": "ADDED"}', b'{"type": "ADDED", "object": []}', event("UPSERTED")],
)
def test_a_line_that_cannot_be_read_means_a_new_list(junk: bytes) -> None:
    with pytest.raises(Expired):
        read(event("ADDED"), junk, event("ADDED"))


def test_expired_inside_the_stream() -> None:
    with pytest.raises(Expired, match="too old"):
        read(json.dumps({"type": "ERROR", "object": GONE}).encode())


def test_another_error_inside_the_stream() -> None:
    with pytest.raises(ClusterUnavailable, match="etcd"):
        read(json.dumps({"type": "ERROR", "object": {"code": 500, "message": "etcd is away"}}).encode())


def test_an_object_without_a_version_keeps_the_old_one() -> None:
    assert read(b'{"type": "ADDED", "object": {"metadata": null}}')[0].resource_version == ""


def test_a_rest_is_taken_after_faults(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    stop = Event()
    items = follow(Cluster(url=f"http://127.0.0.1:{port}", token_file="/dev/null"), Watched(NAMESPACE), stop)
    assert isinstance(next(items), Lost)
    stop.set()
    assert list(items) == []
