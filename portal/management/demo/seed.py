"""What the demo's visitor finds: people, tenants, queues, templates."""

from pathlib import Path


def seed(credentials: Path) -> None:
    """Makes what is not there yet; passwords of the people it made go to `credentials` (JSON, mode 0600)."""
