"""The control loops of the sandbox: Kueue, the training operator, the kubelet and the claim binder."""

from datetime import datetime

from sandbox.store import Store


class Controllers:
    """Run every control loop over one store until nothing changes."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def settle(self) -> None:
        """Do all work that is due now."""

    def next_due(self) -> datetime | None:
        """Return the next moment at which something changes by itself, or None."""
        return None
