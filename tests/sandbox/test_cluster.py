import asyncio
import threading
from datetime import UTC, datetime, timedelta

import pytest

from sandbox.auth import Gate
from sandbox.cluster import Cluster, RealTime, read_cluster_file
from sandbox.server import Server, application
from sandbox.store import Store
from sandbox.watch import Pulse
from tests.sandboxes import DEMO_CLUSTER

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_the_demo_cluster_holds_what_its_queues_promise():
    nodes, rules = read_cluster_file(DEMO_CLUSTER)
    capacity = [node["status"]["allocatable"] for node in nodes]
    assert rules == []
    assert sum(int(node["nvidia.com/gpu"]) for node in capacity) == 48
    assert sum(int(node["cpu"]) for node in capacity) >= 512
    assert {node["metadata"]["labels"]["nvidia.com/gpu.product"] for node in nodes} == {"A100-SXM4-40GB"}


def test_a_cluster_file_may_hold_rules(tmp_path):
    path = tmp_path / "cluster.yaml"
    path.write_text("rules: [{subjects: [a], resources: [pods], verbs: [get]}]\n---\n", encoding="utf-8")
    assert read_cluster_file(path) == ([], [{"subjects": ["a"], "resources": ["pods"], "verbs": ["get"]}])


def test_a_cluster_file_with_an_unknown_kind_is_refused(tmp_path):
    path = tmp_path / "cluster.yaml"
    path.write_text("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n", encoding="utf-8")
    with pytest.raises(ValueError, match="apps/v1 Deployment is not served"):
        read_cluster_file(path)


class Chimes:
    """Controllers that want to be called each ten seconds, and note when they were."""

    def __init__(self, store):
        self.store = store
        self.heard = []

    def settle(self):
        self.heard.append((self.store.clock.now() - NOON).total_seconds())

    def next_due(self):
        passed = (self.store.clock.now() - NOON).total_seconds()
        return NOON + timedelta(seconds=10 * (passed // 10 + 1))


def test_a_tick_stops_at_every_due_moment(tmp_path):
    store = Store(tmp_path, start=NOON)
    cluster = Cluster(store)
    cluster.controllers = Chimes(store)
    asyncio.run(cluster.advance(25))
    assert cluster.controllers.heard == [10, 20, 25]
    store.close()


def test_real_time_goes_on_from_a_kept_clock_that_is_ahead(tmp_path):
    ahead = datetime.now(UTC) + timedelta(days=1)
    store = Store(tmp_path, start=ahead)

    async def briefly():
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(RealTime(Cluster(store), speed=1).run(), 0.3)

    asyncio.run(briefly())
    assert ahead <= store.clock.now() < ahead + timedelta(seconds=5)
    store.close()


def test_a_server_whose_clock_breaks_ends(tmp_path, monkeypatch):
    async def break_down(self):
        raise RuntimeError("the clock is broken")

    monkeypatch.setattr(RealTime, "run", break_down)
    store = Store(tmp_path)
    pulse = Pulse()
    cluster = Cluster(store)
    server = Server(application(cluster, Gate({}), pulse, RealTime(cluster, 1)), pulse, 0)
    thread = threading.Thread(target=server.run)
    thread.start()
    thread.join(10)
    assert not thread.is_alive()
    store.close()
