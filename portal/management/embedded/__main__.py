"""`python -m portal.management.embedded -- COMMAND…` runs a command with a PostgreSQL and a Redis of its own.

DATABASE_URL and REDIS_URL are used when they are set; else private servers are started in a temporary folder, and both
names exported. Every other setting that has no default gets one that is fit for tests. The exit code is the command's.
"""

import os
import secrets
import shutil
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

from portal.management.embedded.account import server_account, temporary_folder
from portal.management.embedded.ports import free_port
from portal.management.embedded.postgres import Postgres
from portal.management.embedded.redis import Redis
from portal.management.embedded.tether import dies_with_parent, end


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--"]:
        arguments = arguments[1:]
    if not arguments:
        print("Usage: python -m portal.management.embedded -- COMMAND [ARGUMENT…]", file=sys.stderr)
        return 2
    with ExitStack() as cleanup:
        # What ends us must end the servers too: turn it into an exception that unwinds the stack.
        signal.signal(signal.SIGTERM, _leave)
        signal.signal(signal.SIGHUP, _leave)
        folder = temporary_folder()
        cleanup.callback(shutil.rmtree, folder, ignore_errors=True)
        environment = _defaults(folder) | os.environ
        if "DATABASE_URL" not in environment:
            environment["DATABASE_URL"] = _postgres(folder, cleanup)
        if "REDIS_URL" not in environment:
            environment["REDIS_URL"] = _redis(folder, cleanup)
        return _run(arguments, environment)


def _defaults(folder: Path) -> dict[str, str]:
    token_file = folder / "cluster-token"
    token_file.touch(mode=0o600)
    return {
        "DJANGO_SETTINGS_MODULE": "portal.settings",
        "SECRET_KEY": secrets.token_urlsafe(48),
        "HTTPS": "0",
        "ALLOWED_HOSTS": "localhost,127.0.0.1,testserver",
        # The discard port: tests that need a cluster start one and say where it is.
        "CLUSTER_URL": "http://127.0.0.1:9",
        "CLUSTER_TOKEN_FILE": str(token_file),
        "STATIC_ROOT": str(folder / "static"),
    }


def _postgres(folder: Path, cleanup: ExitStack) -> str:
    postgres = Postgres(folder / "postgres", folder / "sockets", secrets.token_urlsafe(24), durable=False)
    postgres.prepare()
    account = server_account()
    # A session of its own: Ctrl-C reaches the command first, which may still need its database to end well.
    server = subprocess.Popen(
        postgres.command(),
        cwd="/",
        stdout=subprocess.DEVNULL,
        stderr=(folder / "postgres.log").open("wb"),
        start_new_session=True,
        preexec_fn=dies_with_parent(signal.SIGINT),
        user=account.uid,
        group=account.gid,
        extra_groups=account.groups,
    )
    cleanup.callback(end, server, signal.SIGINT)
    postgres.wait()
    return postgres.url


def _redis(folder: Path, cleanup: ExitStack) -> str:
    redis = Redis(folder / "redis", free_port(), secrets.token_urlsafe(24), durable=False)
    redis.prepare()
    server = subprocess.Popen(
        redis.command(),
        stdout=(folder / "redis.log").open("wb"),
        stderr=subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=dies_with_parent(signal.SIGTERM),
    )
    cleanup.callback(end, server)
    redis.wait()
    return redis.url


def _run(command: list[str], environment: dict[str, str]) -> int:
    try:
        process = subprocess.Popen(command, env=environment, preexec_fn=dies_with_parent(signal.SIGTERM))
    except FileNotFoundError:
        print(f"There is no program {command[0]}.", file=sys.stderr)
        return 127
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends it to the command as well, which decides
    try:
        code = process.wait()
    finally:
        end(process)
    return code if code >= 0 else 128 - code


def _leave(number: int, frame: object) -> None:
    raise SystemExit(128 + number)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
