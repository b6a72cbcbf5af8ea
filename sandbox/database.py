"""The file that outlives the process: objects, the clock, the counter of versions and the journal."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from sandbox.records import Record

_TABLES = """
CREATE TABLE IF NOT EXISTS objects (
    resource TEXT, namespace TEXT, name TEXT, version INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (resource, namespace, name)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS journal (number INTEGER PRIMARY KEY, line TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""


class Database:
    """One SQLite file in WAL mode. Its user holds a lock around every call.

    `synchronous=NORMAL` survives the death of the process at any moment, which is what the sandbox promises;
    only a power cut may cost the last transactions (sqlite.org, PRAGMA synchronous).
    """

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=NORMAL")
        self._connection.executescript(_TABLES)

    def records(self) -> Iterator[Record]:
        """Every stored object."""
        rows = self._connection.execute("SELECT resource, namespace, name, version, body FROM objects")
        for resource, namespace, name, version, body in rows:
            yield Record(resource, namespace, name, version, json.loads(body), body)

    def put(self, record: Record) -> None:
        row = (record.resource, record.namespace, record.name, record.version, record.text)
        self._run("INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?, ?)", row)

    def drop(self, record: Record) -> None:
        self._run("DELETE FROM objects WHERE resource = ? AND namespace = ? AND name = ?", record.key)

    def note(self, line: str) -> None:
        """Add a line to the journal."""
        self._run("INSERT INTO journal (line) VALUES (?)", (line,))

    def journal(self) -> list[str]:
        return [line for (line,) in self._connection.execute("SELECT line FROM journal ORDER BY number")]

    def fact(self, name: str) -> str | None:
        row = self._connection.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def set_fact(self, name: str, value: str) -> None:
        self._run("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def commit(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("COMMIT")

    def close(self) -> None:
        self._connection.close()

    def _run(self, statement: str, values: tuple[object, ...]) -> None:
        if not self._connection.in_transaction:
            self._connection.execute("BEGIN")
        self._connection.execute(statement, values)
