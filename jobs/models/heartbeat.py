"""When the mirror last had the cluster on the line: what it knows is shown as of this moment."""

from datetime import datetime
from typing import ClassVar

from django.db import models


class HeartbeatManager(models.Manager["Heartbeat"]):
    def last_seen(self) -> datetime | None:
        """When the watch process last had every kind under watch and an answer from the cluster; None: never."""
        return self.filter(name=Heartbeat.WATCH).values_list("seen_at", flat=True).first()

    def beat(self, *, now: datetime) -> None:
        self.update_or_create(name=Heartbeat.WATCH, defaults={"seen_at": now})


class Heartbeat(models.Model):
    """Written by `manage.py watch` alone. Older than MIRROR_STALE_SECONDS: pages say "last seen"."""

    WATCH = "watch"

    name = models.CharField(max_length=32, unique=True)
    seen_at = models.DateTimeField()

    objects: ClassVar[HeartbeatManager] = HeartbeatManager()

    def __str__(self) -> str:
        return f"{self.name} {self.seen_at}"
