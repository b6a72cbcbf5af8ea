"""Which operating system account runs PostgreSQL, which refuses to run as root."""

import os
import pwd
import tempfile
from dataclasses import dataclass
from pathlib import Path

# What root starts for an unprivileged account has to lie where that account may go; a checkout below /root may not.
ROOT_STATE = Path("/var/lib/choirmaster")


@dataclass(frozen=True)
class Account:
    """Whom a server runs as, in the words of `subprocess`; None everywhere means: as ourselves."""

    name: str | None = None
    uid: int | None = None
    gid: int | None = None
    groups: list[int] | None = None

    def own(self, path: Path) -> None:
        if self.uid is not None and self.gid is not None:
            os.chown(path, self.uid, self.gid)


def server_account() -> Account:
    """An existing unprivileged account when we are root, else ourselves."""
    if os.geteuid() != 0:
        return Account()
    entry = pwd.getpwnam("nobody")
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid, [])


def temporary_folder() -> Path:
    """A new one with a short path. PostgreSQL, which is never root, may pass through it; what lies inside is 0700."""
    path = Path(tempfile.mkdtemp(prefix="choirmaster-"))
    if server_account().uid is not None:
        path.chmod(0o711)
    return path


def private_folder(path: Path, account: Account | None = None) -> Path:
    """Makes `path` if needed, with mode 0700 and owned by `account` (by us when left out)."""
    path.mkdir(parents=True, exist_ok=True)
    (account or Account()).own(path)
    path.chmod(0o700)
    return path
