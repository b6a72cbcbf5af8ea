"""What the demo's visitor finds: people, tenants, queues, templates."""

from pathlib import Path


def seed(credentials: Path, url: str) -> dict[str, str]:
    """Makes what is not there yet and returns the passwords of the people it made, by e-mail.

    `credentials` (JSON, mode 0600: {"url": …, "users": {e-mail: password}}) keeps them.
    """
    return {}
