"""The admission webhooks of Kueue and of the training operator."""

from typing import Any

from sandbox.store import Store


def mutate(store: Store, resource: str, obj: dict[str, Any], operation: str) -> None:
    """Change `obj` in place as Kueue's mutating webhooks do; `operation` is CREATE or UPDATE."""


def validate(store: Store, resource: str, obj: dict[str, Any], old: dict[str, Any] | None) -> None:
    """Raise StatusError when a validating webhook denies `obj`; `old` is None on create."""
