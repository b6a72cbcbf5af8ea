from datetime import timedelta

from tests.sandbox.objects import config_map

PULLED = {"type": "Normal", "reason": "Pulled", "message": "image is here", "component": "kubelet"}


def test_the_older_recorder_counts_with_times(store):
    about = store.create("configmaps", config_map())
    store.record_event(about, **PULLED)
    store.clock.move_to(store.clock.now() + timedelta(seconds=5))
    store.record_event(about, **PULLED)
    (event,) = store.list("events")
    assert (event["count"], event["firstTimestamp"], event["lastTimestamp"]) == (
        2,
        "2026-03-01T12:00:00Z",
        "2026-03-01T12:00:05Z",
    )
    assert event["involvedObject"]["uid"] == about["metadata"]["uid"]


def test_the_newer_recorder_leaves_the_old_times_null_and_counts_in_a_series(store):
    about = store.create("configmaps", config_map())
    store.record_event(about, **PULLED, series=True)
    (event,) = store.list("events")
    assert (event["firstTimestamp"], event["lastTimestamp"]) == (None, None)
    assert event["eventTime"] == "2026-03-01T12:00:00.000000Z"
    assert "count" not in event
    store.record_event(about, **PULLED, series=True)
    (event,) = store.list("events")
    assert event["series"] == {"count": 2, "lastObservedTime": "2026-03-01T12:00:00.000000Z"}


def test_another_message_is_another_event(store):
    about = store.create("configmaps", config_map())
    store.record_event(about, **PULLED)
    store.record_event(about, **PULLED | {"message": "another"})
    assert len(store.list("events", "team-a")) == 2


def test_events_about_things_without_namespace_live_in_default(store):
    store.create("namespaces", {"metadata": {"name": "default"}})
    node = store.create("nodes", {"metadata": {"name": "n1"}})
    store.record_event(node, **PULLED)
    assert len(store.list("events", "default")) == 1


def test_events_go_an_hour_after_they_were_last_seen(store):
    about = store.create("configmaps", config_map())
    store.record_event(about, **PULLED)
    store.advance(store.clock.now() + timedelta(minutes=40))
    store.record_event(about, **PULLED)
    store.advance(store.clock.now() + timedelta(minutes=40))
    assert len(store.list("events")) == 1
    store.advance(store.clock.now() + timedelta(minutes=21))
    assert store.list("events") == []
