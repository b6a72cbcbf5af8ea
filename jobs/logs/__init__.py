"""The log of a replica: its newest lines, and the lines that follow. Read from the cluster, never stored."""

from jobs.logs.following import stream
from jobs.logs.lines import LogLine, clean, parse
from jobs.logs.tail import Log, tail

__all__ = ["Log", "LogLine", "clean", "parse", "stream", "tail"]
