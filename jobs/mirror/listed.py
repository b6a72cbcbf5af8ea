"""A complete list of one kind, compared with our rows of it."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from jobs.mirror.objects import uid_of
from jobs.mirror.poison import guarded
from portal.kube.kinds import Object


def compare(
    items: Sequence[Object],
    began_at: datetime,
    *,
    rows: QuerySet[Any],
    expected: QuerySet[Any],
    differs: Callable[[Any, Object], bool],
    mirror: Callable[[Object, datetime], None],
    forget: Callable[[str], None],
) -> None:
    """Mirrors what says something new, and forgets those of `expected` that are not in the list.

    `rows` are all of the kind; a row that was seen after the list began is newer than it and is not forgotten.
    """
    uids = {uid_of(obj) for obj in items} - {""}
    listed = rows.filter(object_uid__in=uids)
    known = {row.object_uid: row for row in listed}
    for obj in items:
        row = known.get(uid_of(obj))
        if row is None or guarded(differs, row, obj) is not False:
            guarded(mirror, obj, began_at)
    earlier = Q(seen_at=None) | Q(seen_at__lt=began_at)
    with transaction.atomic():
        # In one order: two lists at the same time must not lock each other out.
        locked = listed.filter(earlier).order_by("pk").select_for_update(no_key=True)
        rows.model.objects.filter(pk__in=locked.values("pk")).update(seen_at=began_at)
    for uid in expected.filter(earlier).exclude(object_uid__in=uids).values_list("object_uid", flat=True):
        forget(uid)
