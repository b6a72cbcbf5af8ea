"""One malformed object must not stop the mirror of the others."""

import logging
from collections.abc import Callable
from typing import Any, TypeVar

from django.db import DataError

logger = logging.getLogger(__name__)

T = TypeVar("T")

# What reading an object of an unexpected shape, or storing what it says, can raise.
MALFORMED = (KeyError, TypeError, ValueError, AttributeError, LookupError, OverflowError, DataError)


def guarded(handler: Callable[..., T], *args: Any) -> T | None:
    """The handler's result; None, and a line in the log, where an object cannot be read."""
    try:
        return handler(*args)
    except MALFORMED:
        name = getattr(handler, "__name__", str(handler))
        logger.exception("%s skipped an object that it cannot read: %.300s", name, args[-1] if args else "")
        return None
