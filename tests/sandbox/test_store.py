import json
from datetime import timedelta

import pytest

from sandbox.errors import StatusError
from sandbox.store import Store
from tests.sandbox.objects import config_map, pytorch_job

JOBS = "pytorchjobs.kubeflow.org"


def test_a_new_object_gets_what_the_server_gives(store):
    made = store.create(JOBS, pytorch_job())
    meta = made["metadata"]
    assert len(meta["uid"]) == 36
    assert (meta["creationTimestamp"], meta["generation"]) == ("2026-03-01T12:00:00Z", 1)
    assert store.get(JOBS, "team-a", "demo") == made


def test_what_is_handed_out_is_a_copy(store):
    store.create(JOBS, pytorch_job())["spec"].clear()
    store.get(JOBS, "team-a", "demo")["spec"].clear()
    assert store.get(JOBS, "team-a", "demo")["spec"]


def test_a_name_is_taken_once(store):
    store.create(JOBS, pytorch_job())
    with pytest.raises(StatusError, match='"demo" already exists') as caught:
        store.create(JOBS, pytorch_job())
    assert caught.value.reason == "AlreadyExists"


def test_a_generated_name_has_five_letters_more(store):
    made = store.create("configmaps", {"metadata": {"generateName": "run-", "namespace": "team-a"}})
    assert len(made["metadata"]["name"]) == len("run-") + 5


def test_the_namespace_must_exist(store):
    with pytest.raises(StatusError, match='namespaces "nowhere" not found'):
        store.create("configmaps", config_map(namespace="nowhere"))


def test_the_generation_counts_changes_of_the_spec_only(store):
    job = store.create(JOBS, pytorch_job())
    job["metadata"]["labels"] = {"a": "b"}
    job = store.update(JOBS, job)
    assert job["metadata"]["generation"] == 1
    job["spec"]["runPolicy"]["suspend"] = False
    assert store.update(JOBS, job)["metadata"]["generation"] == 2


def test_an_update_leaves_the_status_and_a_status_update_the_spec(store):
    job = store.create(JOBS, pytorch_job())
    job["status"] = {"startTime": "2026-03-01T12:00:00Z"}
    assert "status" not in store.update(JOBS, job)
    job["spec"]["runPolicy"]["suspend"] = False
    job = store.update_status(JOBS, job)
    assert (job["spec"]["runPolicy"]["suspend"], "startTime" in job["status"]) == (True, True)


def test_an_update_that_changes_nothing_makes_no_version(store):
    job = store.create(JOBS, pytorch_job())
    assert store.update(JOBS, job)["metadata"]["resourceVersion"] == job["metadata"]["resourceVersion"]


def test_a_stale_version_is_a_conflict(store):
    job = store.create(JOBS, pytorch_job())
    store.update(JOBS, {**job, "metadata": {**job["metadata"], "labels": {"a": "b"}}})
    with pytest.raises(StatusError, match="the object has been modified") as caught:
        store.update(JOBS, job)
    assert (caught.value.code, caught.value.reason) == (409, "Conflict")


def test_writes_are_owned_by_their_manager(store):
    job = store.create(JOBS, pytorch_job(), manager="choirmaster")
    job["spec"]["runPolicy"]["suspend"] = False
    job = store.update(JOBS, job, manager="kueue")
    owned = {entry["manager"]: entry["fieldsV1"] for entry in job["metadata"]["managedFields"]}
    assert owned["kueue"] == {"f:spec": {"f:runPolicy": {"f:suspend": {}}}}
    assert owned["choirmaster"]["f:spec"]["f:runPolicy"] == {}


def test_a_restart_finds_objects_versions_clock_and_journal(store, tmp_path):
    job = store.create(JOBS, pytorch_job())
    store.advance(store.clock.now() + timedelta(seconds=30))
    version = store.version
    store.close()
    again = Store(tmp_path)
    assert again.get(JOBS, "team-a", "demo") == job
    assert (again.version, again.clock.stamp()) == (version, "2026-03-01T12:00:30Z")
    assert job["metadata"]["uid"] in {json.loads(line)["uid"] for line in again.journal()}
    again.close()


def test_the_journal_remembers_what_was_deleted(store):
    made = store.create("configmaps", config_map(labels={"run": "1"}))
    store.delete("configmaps", "team-a", "settings")
    line = json.loads(store.journal()[-1])
    assert line == {
        "uid": made["metadata"]["uid"],
        "resource": "configmaps",
        "namespace": "team-a",
        "name": "settings",
        "createdAt": "2026-03-01T12:00:00Z",
        "labels": {"run": "1"},
    }


def test_a_failed_turn_still_keeps_memory_and_disk_alike(store, tmp_path):
    with pytest.raises(RuntimeError), store.transaction():
        store.create("configmaps", config_map())
        raise RuntimeError
    version = store.version
    store.close()
    again = Store(tmp_path)
    assert (again.version, again.peek("configmaps", "team-a", "settings") is None) == (version, False)
    again.close()


def test_watchers_hear_of_a_turn_once_it_is_durable(store):
    heard = []
    store.on_commit(lambda: heard.append(store.version))
    with store.transaction():
        store.create("configmaps", config_map("one"))
        store.create("configmaps", config_map("two"))
        assert heard == []
    assert heard == [store.version]
