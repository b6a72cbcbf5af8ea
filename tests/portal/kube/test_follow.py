"""Following a log without a thread, against a server that the test scripts."""

import asyncio
import json
import socket
import threading
from pathlib import Path

import pytest

from portal.kube.client import Cluster
from portal.kube.errors import ClusterUnavailable, NotFound
from portal.kube.follow import follow_log

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    file = tmp_path / "token"
    file.write_text("t")
    return file


def read(token_file: Path, *parts: bytes, **query: str) -> tuple[list[bytes], bytes]:
    """The lines of an answer that arrives in `parts`, and the request that the server saw."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        seen = []

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                seen.append(connection.recv(65536))
                for part in parts:
                    connection.sendall(part)

        thread = threading.Thread(target=serve)
        thread.start()

        async def follow() -> list[bytes]:
            cluster = Cluster(url=f"http://127.0.0.1:{server.getsockname()[1]}", token_file=str(token_file))
            return [line async for line in follow_log(cluster, "cm-a", "p-0", container="pytorch", **query)]

        try:
            return asyncio.run(asyncio.wait_for(follow(), 10)), seen[0]
        finally:
            thread.join(5)


def test_lines_arrive_whole(token_file: Path) -> None:
    lines, request = read(token_file, HEAD, b"one\ntw", b"o\nthree")
    assert lines == [b"one", b"two", b"three"]
    assert b"/api/v1/namespaces/cm-a/pods/p-0/log?container=pytorch&timestamps=true&follow=true" in request


def test_from_a_time_on(token_file: Path) -> None:
    _, request = read(token_file, HEAD, since_time="2026-11-29T14:00:01Z")
    assert b"sinceTime=2026-11-29T14%3A00%3A01Z" in request


def test_a_pod_that_is_gone(token_file: Path) -> None:
    status = json.dumps({"reason": "NotFound", "details": {"name": "p-0"}, "message": 'pods "p-0" not found'}).encode()
    with pytest.raises(NotFound, match="p-0"):
        read(token_file, b"HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n" + status)


def test_a_server_that_breaks_off(token_file: Path) -> None:
    with pytest.raises(ClusterUnavailable):
        read(token_file, b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
