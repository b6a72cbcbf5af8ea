"""The six processes that are killed, and for each the proof that it did its work again; to run is not enough."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import httpx
import psycopg
import redis

from tests.kill.stack import Stack

VICTIMS = ("web", "worker", "beat", "watch", "sandbox", "redis")
Proof = Callable[[], bool]


def proof(stack: Stack, name: str) -> Proof:
    """A question to ask until it says yes; it counts only what happened after this call."""
    since = datetime.now(UTC)
    match name:
        case "web":
            return lambda: _answers(f"{stack.url}healthz/")
        case "sandbox":
            return lambda: _answers(stack.run.environment["CLUSTER_URL"] + "/readyz")
        case "redis":
            return lambda: _pings(stack.run.environment["REDIS_URL"])
        case "worker":
            return _logs(stack, name, b" succeeded in ")  # any task: the last submission may have been sent already
        case "watch":
            return lambda: _later(stack, "SELECT max(seen_at) AS at FROM jobs_heartbeat WHERE name = 'watch'", since)
        case "beat":
            return _logs(stack, name, b"Sending due task")
    raise LookupError(name)


def _logs(stack: Stack, name: str, words: bytes) -> Proof:
    log = stack.log(name)
    size = log.stat().st_size
    return lambda: _says(log, size, words)


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=2).status_code == 200
    except httpx.HTTPError:
        return False


def _pings(url: str) -> bool:
    try:
        with redis.Redis.from_url(url, socket_timeout=2, socket_connect_timeout=2) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False


def _later(stack: Stack, sql: str, since: datetime) -> bool:
    try:
        at = stack.rows(sql)[0]["at"]
    except psycopg.OperationalError:
        return False
    return at is not None and at > since


def _says(log: Path, size: int, words: bytes) -> bool:
    """Whether the log has the words behind its first `size` bytes; a log that was rotated is read whole."""
    text = log.read_bytes()
    return words in text[size if len(text) >= size else 0 :]
