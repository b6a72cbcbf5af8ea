"""Reading raw objects into columns."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db.models import Model

from jobs.translators.base import text
from portal.kube.kinds import Object

# Controls but tab and newline (PostgreSQL stores no NUL), what turns the direction of text, and halves of characters.
_UNFIT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def uid_of(obj: Object) -> str:
    return text(obj, "metadata", "uid")


def owner_of(obj: Object) -> Mapping[str, Any]:
    """The ownerReference of the controller, {} where there is none."""
    metadata = obj.get("metadata")
    owners = metadata.get("ownerReferences") if isinstance(metadata, Mapping) else None
    for owner in owners if isinstance(owners, list) else []:
        if isinstance(owner, Mapping) and owner.get("controller") is True:
            return owner
    return {}


def text_of(value: str, length: int | None = None) -> str:
    """As PostgreSQL can store it and everybody may read it, in a page or a terminal; cut to the column's length."""
    return _UNFIT.sub("", value)[:length]


def is_past(obj: Object, gone_at: datetime | None, as_of: datetime) -> bool:
    """Whether `obj` tells of a time before it was gone: from a list that began earlier, or the last words of a watch
    that lags behind, in which it is being deleted. Without those it is there after all.
    """
    return gone_at is not None and (gone_at > as_of or bool(text(obj, "metadata", "deletionTimestamp")))


def differs(row: Model, columns: Mapping[str, Any]) -> bool:
    return any(getattr(row, name) != value for name, value in columns.items())


def assign(row: Model, columns: Mapping[str, Any]) -> bool:
    """Whether one of the columns changed."""
    changed = differs(row, columns)
    for name, value in columns.items():
        setattr(row, name, value)
    return changed
