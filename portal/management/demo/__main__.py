"""`python -m portal.management.demo [--port N] [--data FOLDER] [--reset]`: starts the demo and stays until Ctrl-C."""

import argparse
import os
import shutil
import signal
import sys
import uuid
from contextlib import ExitStack
from pathlib import Path

from portal.management.demo.home import CHECKOUT, AlreadyRunning, Home, Run, write_private
from portal.management.demo.programs import PORTAL, SERVICES, Program, configuration, portal_programs, sandbox_program
from portal.management.demo.steps import StepFailed, manage, step, wait_for_http
from portal.management.demo.supervision import MARK, Supervisor, SupervisorFailed, end_leftovers
from portal.management.embedded.account import private_folder, server_account, temporary_folder
from portal.management.embedded.ports import free_port, is_free
from portal.management.embedded.postgres import Postgres, PostgresFailed
from portal.management.embedded.redis import Redis, RedisFailed

FAILURES = (AlreadyRunning, StepFailed, SupervisorFailed, PostgresFailed, RedisFailed)
# A file would win over the value that the demo gives (portal.env.env_secret).
NOT_INHERITED = {"DATABASE_URL_FILE", "REDIS_URL_FILE", "SECRET_KEY_FILE"}
HIGHEST_PORT = 65_535


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="make demo", description=__doc__)
    parser.add_argument("--port", type=_port, default=8000, help="of the web pages; all other ports are free ones")
    parser.add_argument("--data", type=Path, default=CHECKOUT / ".choirmaster", help="the folder to keep everything in")
    parser.add_argument("--reset", action="store_true", help="start over: forget data, jobs and passwords")
    chosen = parser.parse_args(arguments)
    home = Home(chosen.data.resolve())
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    try:
        with home.lock():
            return _run(home, chosen.port, chosen.reset)
    except FAILURES as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0


def _port(text: str) -> int:
    if text.isdecimal() and text.isascii() and 1 <= int(text) <= HIGHEST_PORT:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a port; choose a number from 1 to {HIGHEST_PORT}.")


def _run(home: Home, port: int, reset: bool) -> int:
    _end_last_run(home)
    if reset:
        home.reset()
    if not is_free(port):
        raise StepFailed(f"Port {port} is taken by another program. Choose another one: make demo PORT={port + 1}")
    with ExitStack() as cleanup:
        folder = temporary_folder()
        cleanup.callback(_end_last_run, home)
        cleanup.callback(shutil.rmtree, folder, ignore_errors=True)
        services = Services(home, folder)
        run = _new_run(home, folder, port, services.environment)
        supervisor = _supervise(home, run, [*services.programs, *portal_programs(port)])
        cleanup.callback(_stop, supervisor)
        services.start(supervisor)
        with step("Tables, static files and the demo's people"):
            passwords = manage(["demo_prepare", str(home.credentials), run.url], run.environment)
        with step("Web, worker, beat and watch"):
            supervisor.start(f"{PORTAL}:*")
            wait_for_http("The web process", port, "/healthz/", home.log("web"))
        _welcome(home, run, passwords)
        code = supervisor.process.wait()
    raise StepFailed(f"supervisord ended by itself with code {code}; see {home.log('supervisord')}")


class Services:
    """What the portal needs around it: PostgreSQL, Redis and a cluster."""

    def __init__(self, home: Home, folder: Path) -> None:
        secrets = home.secrets()
        self.postgres = Postgres(home.postgres, folder / "postgres", secrets.postgres)
        self.redis = Redis(home.path / "redis", free_port(), secrets.redis)
        self.sandbox_port, self.sandbox_log = free_port(), home.log("sandbox")
        tokens = home.path / "sandbox-tokens"
        write_private(tokens, f"{secrets.cluster_token},choirmaster,system:masters")
        write_private(home.cluster_token_file, secrets.cluster_token)
        sandbox_data = private_folder(home.path / "sandbox")
        self.programs = [
            Program(
                "postgres",
                SERVICES,
                self.postgres.command(),
                stop_signal="INT",
                user=server_account().name,
                folder=Path("/"),
            ),
            Program("redis", SERVICES, self.redis.command()),
            sandbox_program(sandbox_data, self.sandbox_port, tokens),
        ]
        self.environment = {
            "DJANGO_SETTINGS_MODULE": "portal.settings",
            "SECRET_KEY": secrets.secret_key,
            "DATABASE_URL": self.postgres.url,
            "REDIS_URL": self.redis.url,
            "CLUSTER_URL": f"http://127.0.0.1:{self.sandbox_port}",
            "CLUSTER_TOKEN_FILE": str(home.cluster_token_file),
            "ALLOWED_HOSTS": "localhost,127.0.0.1",
            "HTTPS": "0",
            "STATIC_ROOT": str(home.path / "static"),
        }

    def start(self, supervisor: Supervisor) -> None:
        with step("PostgreSQL"):
            self.postgres.prepare()
            supervisor.start(f"{SERVICES}:postgres")
            self.postgres.wait()
        with step("Redis"):
            self.redis.prepare()
            supervisor.start(f"{SERVICES}:redis")
            self.redis.wait()
        with step("The sandbox cluster"):
            supervisor.start(f"{SERVICES}:sandbox")
            wait_for_http("The sandbox", self.sandbox_port, "/readyz", self.sandbox_log)


def _new_run(home: Home, folder: Path, port: int, environment: dict[str, str]) -> Run:
    """Written down before anything starts: whatever happens to us, the next start finds what we left."""
    mark = uuid.uuid4().hex
    inherited = {name: value for name, value in os.environ.items() if name not in NOT_INHERITED}
    run = Run(
        mark=mark,
        pid=os.getpid(),
        url=f"http://localhost:{port}/",
        folder=str(folder),
        supervisor=str(private_folder(folder / "supervisor") / "supervisor.sock"),
        environment={**inherited, **environment, MARK: mark, "PYTHONUNBUFFERED": "1"},
    )
    home.write_run(run)
    return run


def _supervise(home: Home, run: Run, programs: list[Program]) -> Supervisor:
    socket = Path(run.supervisor)
    file = socket.with_name("supervisord.conf")
    write_private(file, configuration(programs, socket.parent, private_folder(home.logs)))
    return Supervisor(file, socket, run.environment)


def _end_last_run(home: Home) -> None:
    """Ends what a killed run left behind, and nothing else."""
    run = home.last_run()
    if run is None:
        return
    count = end_leftovers(run.mark)
    if count:
        print(f"==> Ended {count} processes of the run before, which was killed", flush=True)
    shutil.rmtree(run.folder, ignore_errors=True)
    home.forget_run()


def _stop(supervisor: Supervisor) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    print("\n==> Stopping", flush=True)
    supervisor.stop()


def _welcome(home: Home, run: Run, passwords: str) -> None:
    print(f"\nChoirmaster is at {run.url}")
    if passwords:
        print(
            f"Sign in with one of these, shown only this once and kept in {home.credentials} (mode 0600):\n{passwords}"
        )
    else:
        print(f"The e-mail addresses and passwords are in {home.credentials}.")
    print(f"Logs: {home.logs}. Ctrl-C stops everything.", flush=True)


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
