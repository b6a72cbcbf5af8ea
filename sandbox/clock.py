"""The cluster's time. It stands still between two moves, so that everything done in one turn bears one time."""

from datetime import UTC, datetime


def stamp(moment: datetime) -> str:
    """RFC 3339 with whole seconds, as in `creationTimestamp`."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def micro(moment: datetime) -> str:
    """RFC 3339 with microseconds, as in an event's `eventTime`."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def parse(text: str) -> datetime:
    """The moment that an RFC 3339 text names; raises ValueError when it is none or bears no zone."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text} has no time zone")
    try:
        return moment.astimezone(UTC)
    except OverflowError:  # less than a day from an end of our calendar, beyond which Go's goes on
        return moment.replace(tzinfo=UTC)


class Clock:
    """A clock that moves only when it is told to, and never backwards."""

    def __init__(self, start: datetime) -> None:
        self._now = start

    def now(self) -> datetime:
        return self._now

    def stamp(self) -> str:
        return stamp(self._now)

    def micro(self) -> str:
        return micro(self._now)

    def move_to(self, moment: datetime) -> None:
        self._now = max(self._now, moment)
