"""Mirrors the cluster into the database, one thread per kind. Start as many as wanted: one is active."""

import logging
import random
import signal
from argparse import ArgumentParser
from threading import Event, Thread
from typing import Any

import psycopg
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import InterfaceError, OperationalError, connection
from django.utils import timezone

from jobs.mirror import MIRRORED, Mirrored, resync
from jobs.models import Heartbeat
from portal.kube.client import Cluster, cluster_from_settings
from portal.kube.errors import ClusterError, KindMissing
from portal.kube.watch import Changed, Listed, Lost, Watched, follow
from portal.management.standby import WATCH_LOCK, Lock, hold

logger = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 3.0
DATABASE_FAULTS = (OperationalError, InterfaceError)


class Command(BaseCommand):
    help = "Mirror jobs, workloads, pods, events and queues from the cluster until stopped."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="list and mirror everything once, then return")

    def handle(self, *args: Any, once: bool, **options: Any) -> None:
        cluster = cluster_from_settings()
        if once:
            self._once(cluster)
            return
        stop = Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        while not stop.is_set():
            try:
                with hold(WATCH_LOCK, stop) as lock:
                    if lock is not None:
                        Watch(cluster).run(lock, stop)
            except (psycopg.Error, *DATABASE_FAULTS) as error:
                logger.warning("The database does not answer, trying again: %s", error)
                connection.close()
                stop.wait(random.uniform(0.5, 1.5))

    def _once(self, cluster: Cluster) -> None:
        try:
            resync(cluster)
        except ClusterError as error:
            raise CommandError(f"The cluster could not be mirrored: {error}") from error
        Heartbeat.objects.beat(now=timezone.now())


class Watch:
    """The threads of one term of being active. They end with it: a term ends when the lock may be lost."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._ended = Event()
        self._connected: dict[str, bool] = {}

    def run(self, lock: Lock, stop: Event) -> None:
        """Until `stop`. Raises psycopg.Error when the lock may be lost, RuntimeError when a thread died of a bug."""
        threads = [
            Thread(target=self._follow, args=(mirrored,), name=f"watch {mirrored.kind}", daemon=True)
            for mirrored in MIRRORED
        ]
        for thread in threads:
            thread.start()
        try:
            while not stop.wait(HEARTBEAT_SECONDS):
                lock.check()
                if not all(thread.is_alive() for thread in threads):
                    raise RuntimeError("A watching thread died; see the traceback above.")
                self._beat()
        finally:
            self._ended.set()

    def _beat(self) -> None:
        """Only while every kind is connected and the cluster answers: the heartbeat is what pages call "last seen"."""
        if len(self._connected) < len(MIRRORED) or not all(self._connected.values()):
            return
        try:
            self._cluster.ask_ready()
        except ClusterError as error:
            logger.warning("No heartbeat: %s", error)
            return
        Heartbeat.objects.beat(now=timezone.now())

    def _follow(self, mirrored: Mirrored) -> None:
        watched = Watched(
            mirrored.kind, mirrored.label_selector, settings.WATCH_TIMEOUT_SECONDS, settings.WATCH_RELIST_SECONDS
        )
        while not self._ended.is_set():
            try:
                for item in follow(self._cluster, watched, self._ended):
                    try:
                        self._take(mirrored, item)
                    finally:
                        connection.close()  # back to the pool: nobody holds one while nothing happens
            except DATABASE_FAULTS as error:
                # What could not be written is in the list that a new turn begins with.
                logger.warning("%s: the database does not answer, listing again: %s", mirrored.kind, error)
                self._ended.wait(random.uniform(0.5, 1.5))

    def _take(self, mirrored: Mirrored, item: object) -> None:
        if isinstance(item, Listed):
            mirrored.listed(item.items, item.began_at)
        elif isinstance(item, Changed):
            mirrored.changed(item.obj, deleted=item.deleted)
        # A kind that is not installed has nothing to mirror: that is known, not unknown.
        lost = isinstance(item, Lost) and not isinstance(item.error, KindMissing)
        self._connected[str(mirrored.kind)] = not lost
