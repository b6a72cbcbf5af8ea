"""The recent changes, so that a watch can go on from a version it has seen."""

from dataclasses import dataclass

from sandbox.errors import expired, too_large_version
from sandbox.records import Record


@dataclass(frozen=True, slots=True)
class Change:
    """One write: ADDED, MODIFIED or DELETED, the state after it and the one before."""

    type: str
    record: Record
    before: Record | None


class History:
    """A window of changes. Versions count up by one per change, so the place of a version is its number."""

    def __init__(self, version: int, window: int) -> None:
        self._changes: list[Change] = []
        self._floor = version
        self._born = version
        self._window = window

    @property
    def version(self) -> int:
        """The newest version there is."""
        return self._floor + len(self._changes)

    def append(self, change: Change) -> None:
        self._changes.append(change)
        # A list is cut at its front in one go, so let some more pile up before that.
        if len(self._changes) > self._window * 1.1:
            self._floor += len(self._changes) - self._window
            del self._changes[: -self._window]

    def compact(self) -> None:
        """Keep nothing but the number of the newest version."""
        self._floor = self.version
        self._changes.clear()

    def check_known(self, version: int) -> None:
        """410 for a version from before this process, whose changes are lost."""
        if version < self._born:
            raise expired(f"too old resource version: {version} ({self._born})")

    def since(self, version: int) -> list[Change]:
        """The changes after `version`; 410 when some of them are no longer kept, 504 when it lies in the future."""
        if version > self.version:
            raise too_large_version(version, self.version)
        oldest = max(self._floor, self.version - self._window)
        if version < oldest:
            raise expired(f"too old resource version: {version} ({oldest})")
        return self._changes[version - self._floor :]
