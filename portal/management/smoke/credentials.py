"""The demo's file of mode 0600 with its URL and its people's passwords."""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Credentials:
    """`passwords` by e-mail address."""

    url: str
    passwords: dict[str, str]


def read_credentials(path: Path) -> Credentials:
    """Raises FileNotFoundError where no demo was started yet."""
    kept = json.loads(path.read_text())
    return Credentials(kept["url"], kept["users"])
