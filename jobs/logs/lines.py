"""Lines as the API server sends them with `timestamps=true`: a time (RFC 3339, nanoseconds), a space, the text."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

MAX_LINE = 16 * 1024  # characters; container runtimes cut lines at 16 KiB themselves (CRI logs)

_ESCAPES = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # OSC: titles and links
    r"|\x1b[PX^_][^\x1b]*(?:\x1b\\)?"  # DCS and other strings
    r"|\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours and cursor
    r"|\x1b[ -/]*[0-~]"
)
# C0 but the tab, DEL, C1, and what turns the direction of text around it.
_CONTROLS = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)", re.ASCII)


@dataclass(frozen=True)
class LogLine:
    """`time` is the cluster's own text, "" for the rest of a line that was cut; `text` is safe to show as it is."""

    time: str
    text: str

    @property
    def at(self) -> datetime | None:
        found = moment(self.time)
        return None if found is None else found[0].replace(microsecond=found[1] // 1000)

    def as_json(self, zone: tzinfo) -> dict[str, str]:
        """What js/log.js appends: time and text, and the time of day in the reader's zone."""
        at = self.at
        return {"time": self.time, "clock": at.astimezone(zone).strftime("%H:%M:%S") if at else "", "text": self.text}


def parse(raw: bytes) -> LogLine:
    line = raw.decode(errors="replace")
    stamp, _, text = line.partition(" ")
    return LogLine(stamp, clean(text)) if moment(stamp) else LogLine("", clean(line))


def clean(text: str) -> str:
    """Plain text: no terminal escapes or control characters; of a line that overwrote itself, the last state."""
    text = _ESCAPES.sub("", text[: 4 * MAX_LINE]).rstrip("\r\n")
    return _CONTROLS.sub("", text.rpartition("\r")[2])[:MAX_LINE]


def moment(stamp: str) -> tuple[datetime, int] | None:
    """(second in UTC, nanoseconds): comparable, which the texts are not (Go leaves zeros at the end out)."""
    match = _TIME.fullmatch(stamp)
    if match is None:
        return None
    try:
        second = datetime.fromisoformat(match[1] + match[3]).astimezone(UTC)
    except (ValueError, OverflowError):  # the year 1 in a zone east of Greenwich
        return None
    return second, int((match[2] or "").ljust(9, "0"))
