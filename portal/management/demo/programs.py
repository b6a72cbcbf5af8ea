"""What the demo runs, as a table, and that table as a configuration of supervisor 4.3 (its docs/configuration.rst)."""

import getpass
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from portal.management.demo.home import CHECKOUT

# The services come first and go last.
SERVICES, PORTAL = "services", "portal"


@dataclass(frozen=True)
class Program:
    """`stop_signal` ends it cleanly; it is killed `stop_seconds` later. `user` None is whoever started the demo."""

    name: str
    group: str
    command: list[str]
    stop_signal: str = "TERM"
    stop_seconds: int = 4
    user: str | None = None
    folder: Path = CHECKOUT


def portal_programs(port: int) -> list[Program]:
    """The portal's processes: the same commands as in docker-compose.yml."""
    python = sys.executable
    celery = [python, "-m", "celery", "-A", "portal.celery"]
    web = [python, "-m", "uvicorn", "portal.asgi:application", "--host", "127.0.0.1", "--port", str(port)]
    # Nobody stands in front: a client's own X-Forwarded-For must not be believed.
    web += ["--timeout-graceful-shutdown", "5", "--no-server-header", "--no-proxy-headers"]
    worker = [*celery, "worker", "--queues", "launch,sync", "--concurrency", "2", "--prefetch-multiplier", "1"]
    worker += ["--without-gossip", "--without-mingle", "--loglevel", "INFO"]
    # All of beat's intervals are seconds long: it need not remember when it last ran.
    beat = [*celery, "beat", "--scheduler", "celery.beat:Scheduler", "--loglevel", "INFO"]
    return [
        Program("web", PORTAL, web, stop_seconds=6),
        Program("worker", PORTAL, worker),
        # A signal that comes while it sends a message is swallowed (celery 5.7); it has nothing to lose.
        Program("beat", PORTAL, beat, stop_seconds=2),
        Program("watch", PORTAL, [python, "manage.py", "watch"]),
    ]


def sandbox_program(data: Path, port: int, tokens: Path) -> Program:
    """The cluster of the demo, a building next door: only its command line is known here."""
    command = [sys.executable, "-m", "sandbox", "--data", str(data), "--port", str(port), "--token-file", str(tokens)]
    return Program("sandbox", SERVICES, [*command, "--clock", "real", "--cluster", "sandbox/demo_cluster.yaml"])


def configuration(programs: list[Program], folder: Path, logs: Path) -> str:
    """supervisord.conf for `programs`; `folder` holds its socket, `logs` one file per program, 10 MB and one older.

    No secret stands in it: the programs inherit supervisord's environment.
    """
    sections: dict[str, dict[str, object]] = {
        "unix_http_server": {"file": folder / "supervisor.sock", "chmod": "0700"},
        "rpcinterface:supervisor": {
            "supervisor.rpcinterface_factory": "supervisor.rpcinterface:make_main_rpcinterface"
        },
        "supervisord": {
            "nodaemon": "true",
            "user": getpass.getuser() if os.geteuid() == 0 else "",
            "logfile": logs / "supervisord.log",
            "pidfile": folder / "supervisord.pid",
            "childlogdir": logs,
            "umask": "077",
        },
    }
    for program in programs:
        sections[f"program:{program.name}"] = dict(_options(program, logs))
    for priority, group in enumerate((SERVICES, PORTAL), start=1):
        names = ",".join(program.name for program in programs if program.group == group)
        sections[f"group:{group}"] = {"programs": names, "priority": priority}
    return "\n".join(_section(name, options) for name, options in sections.items())


def _options(program: Program, logs: Path) -> Iterator[tuple[str, object]]:
    yield "command", " ".join(_quoted(word) for word in program.command)
    yield "directory", program.folder
    if program.user is not None:
        yield "user", program.user
    yield "autostart", "false"
    # What dies comes back, however often: after a run of at least a second at once, else a second later each time.
    yield "autorestart", "true"
    yield "startsecs", 1
    yield "startretries", 1_000_000
    yield "stopsignal", program.stop_signal
    yield "stopwaitsecs", program.stop_seconds
    yield "killasgroup", "true"
    yield "redirect_stderr", "true"
    yield "stdout_logfile", logs / f"{program.name}.log"
    yield "stdout_logfile_maxbytes", "10MB"
    yield "stdout_logfile_backups", 1


def _quoted(word: str) -> str:
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _section(name: str, options: dict[str, object]) -> str:
    # supervisor expands %(…)s in every value.
    lines = [f"{key}={str(value).replace('%', '%%')}" for key, value in options.items() if value != ""]
    return "\n".join([f"[{name}]", *lines, ""])
