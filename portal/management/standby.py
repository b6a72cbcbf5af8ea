"""One active process of a kind, and any number in hot standby: an advisory lock that dies with its connection."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event

import psycopg
from django.db import connection

logger = logging.getLogger(__name__)

WATCH_LOCK = 0x63686F69726D01  # any number that no other lock of this database uses
RETRY_SECONDS = 1.0


class Lock:
    """Held for as long as its connection lives. PostgreSQL frees it when the process dies or the server restarts."""

    def __init__(self, session: "psycopg.Connection[tuple[object, ...]]") -> None:
        self._session = session

    def check(self) -> None:
        """Raises psycopg.OperationalError when the lock may be lost."""
        self._session.execute("SELECT 1")


@contextmanager
def hold(key: int, stop: Event) -> Iterator[Lock | None]:
    """Wait until the lock is ours; None when `stop` came first. Raises psycopg.OperationalError without a database."""
    # Not from the pool: the lock belongs to the connection, and this one lives as long as we are active.
    with psycopg.connect(**connection.get_connection_params(), autocommit=True) as session:
        waited = False
        while not stop.is_set():
            row = session.execute("SELECT pg_try_advisory_lock(%s)", [key]).fetchone()
            if row and row[0]:
                logger.info("Active.")
                yield Lock(session)
                return
            if not waited:
                logger.info("Another process is active; this one stands by.")
                waited = True
            stop.wait(RETRY_SECONDS)
        yield None
