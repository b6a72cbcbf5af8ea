import json

import httpx
import pytest
from kubernetes import client

from tests.sandbox.objects import JOBS, QUEUES, cluster_queue, config_map, container_of, pytorch_job

APPLY = {"_content_type": "application/apply-patch+yaml", "field_manager": "choirmaster"}


def refusal(call, *arguments, **options):
    with pytest.raises(client.ApiException) as caught:
        call(*arguments, **options)
    return json.loads(caught.value.body)


def test_create_get_patch_delete(custom):
    made = custom.create_namespaced_custom_object(*JOBS, pytorch_job(), field_manager="choirmaster")
    change = {"metadata": {"labels": {"choirmaster.dev/tenant": "premium"}}}
    patched = custom.patch_namespaced_custom_object(*JOBS, "demo", change)
    assert patched == custom.get_namespaced_custom_object(*JOBS, "demo")
    assert patched["metadata"]["uid"] == made["metadata"]["uid"]
    assert custom.delete_namespaced_custom_object(*JOBS, "demo")["status"] == "Success"
    assert refusal(custom.get_namespaced_custom_object, *JOBS, "demo")["reason"] == "NotFound"


def test_strict_validation_names_the_unknown_field(custom):
    job = pytorch_job()
    job["spec"]["x"] = 1
    answer = refusal(custom.create_namespaced_custom_object, *JOBS, job, field_validation="Strict")
    assert (answer["code"], answer["reason"]) == (400, "BadRequest")
    assert 'strict decoding error: unknown field "spec.x"' in answer["message"]


def test_unknown_fields_are_dropped_with_a_warning(custom):
    job = pytorch_job()
    job["spec"]["x"] = 1
    made, _, headers = custom.create_namespaced_custom_object_with_http_info(*JOBS, job)
    assert "x" not in made["spec"]
    assert headers["Warning"] == '299 - "unknown field \\"spec.x\\""'


def test_a_dry_run_says_everything_and_stores_nothing(custom, sandbox):
    made = custom.create_namespaced_custom_object(*JOBS, pytorch_job(), dry_run="All", field_validation="Strict")
    assert [entry["operation"] for entry in made["metadata"]["managedFields"]] == ["Update"]
    assert refusal(custom.get_namespaced_custom_object, *JOBS, "demo")["code"] == 404
    assert made["metadata"]["uid"] not in {line["uid"] for line in sandbox.journal()}
    job = pytorch_job()
    container_of(job)["env"] = [{"name": "A"}, {"name": "A"}]
    answer = refusal(custom.create_namespaced_custom_object, *JOBS, job, dry_run="All")
    assert (answer["code"], answer["details"]["causes"][0]["reason"]) == (422, "FieldValueDuplicate")


def test_every_leaf_that_was_sent_is_stored(custom):
    job = pytorch_job()
    made = custom.create_namespaced_custom_object(*JOBS, job)
    assert made["spec"]["pytorchReplicaSpecs"] == job["spec"]["pytorchReplicaSpecs"]


def test_a_status_is_written_through_its_subresource_only(custom):
    made = custom.create_namespaced_custom_object(*JOBS, pytorch_job() | {"status": {"startTime": None}})
    assert "status" not in made
    status = {"status": {"startTime": "2026-03-01T12:00:00Z"}, "spec": {"nprocPerNode": "8"}}
    patched = custom.patch_namespaced_custom_object_status(*JOBS, "demo", status)
    assert patched["status"]["startTime"] == "2026-03-01T12:00:00Z"
    assert "nprocPerNode" not in patched["spec"]


def test_put_needs_the_version_it_read(custom):
    made = custom.create_namespaced_custom_object(*JOBS, pytorch_job())
    answer = refusal(custom.replace_namespaced_custom_object, *JOBS, "demo", pytorch_job())
    assert "metadata.resourceVersion: Invalid value" in answer["message"]
    custom.patch_namespaced_custom_object(*JOBS, "demo", {"metadata": {"labels": {"a": "b"}}})
    answer = refusal(custom.replace_namespaced_custom_object, *JOBS, "demo", made)
    assert (answer["code"], answer["reason"]) == (409, "Conflict")


def test_a_patch_with_a_stale_version_is_a_conflict(core):
    core.create_namespaced_config_map("team-a", config_map())
    change = {"metadata": {"resourceVersion": "1"}, "data": {"a": "2"}}
    assert refusal(core.patch_namespaced_config_map, "settings", "team-a", change)["reason"] == "Conflict"


def test_apply_makes_and_changes(custom):
    # The client gives None for the 201 of an apply that made the object, here as with a real API server.
    custom.patch_cluster_custom_object(*QUEUES, "premium", cluster_queue(gpus="32"), **APPLY)
    first = custom.get_cluster_custom_object(*QUEUES, "premium")
    assert first["metadata"]["generation"] == 1
    assert custom.patch_cluster_custom_object(*QUEUES, "premium", cluster_queue(gpus="32"), **APPLY) == first
    second = custom.patch_cluster_custom_object(*QUEUES, "premium", cluster_queue(gpus=32), **APPLY)
    assert second["metadata"]["generation"] == 2


def test_apply_conflicts_and_force(custom):
    custom.patch_cluster_custom_object(*QUEUES, "premium", cluster_queue(), **APPLY)
    other = APPLY | {"field_manager": "kubectl"}
    answer = refusal(custom.patch_cluster_custom_object, *QUEUES, "premium", cluster_queue(gpus=8), **other)
    expected = 'Apply failed with 1 conflict: conflict with "choirmaster": .spec.resourceGroups'
    assert answer["message"].startswith(expected)
    taken = custom.patch_cluster_custom_object(*QUEUES, "premium", cluster_queue(gpus=8), force=True, **other)
    assert (
        taken["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]["nominalQuota"] == 8
    )  # only a create makes it a text


def test_apply_needs_a_manager(custom):
    options = {"_content_type": APPLY["_content_type"]}
    answer = refusal(custom.patch_cluster_custom_object, *QUEUES, "premium", cluster_queue(), **options)
    assert "fieldManager: Required value" in answer["message"]


def test_defaults_are_stored(custom):
    made = custom.create_cluster_custom_object(*QUEUES, cluster_queue())
    assert made["spec"]["queueingStrategy"] == "BestEffortFIFO"


def test_rules_of_the_schema_name_the_field(custom):
    queue = cluster_queue()
    del queue["spec"]["cohortName"]
    queue["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]["borrowingLimit"] = 1
    answer = refusal(custom.create_cluster_custom_object, *QUEUES, queue)
    assert answer["message"] == (
        'ClusterQueue.kueue.x-k8s.io "premium" is invalid: spec: Invalid value: '
        "borrowingLimit must be nil when cohort is empty"
    )


def test_delete_with_the_uid_of_another(custom):
    custom.create_namespaced_custom_object(*JOBS, pytorch_job())
    options = client.V1DeleteOptions(preconditions=client.V1Preconditions(uid="another"))
    assert refusal(custom.delete_namespaced_custom_object, *JOBS, "demo", body=options)["reason"] == "Conflict"
    assert custom.get_namespaced_custom_object(*JOBS, "demo")


def test_delete_in_the_foreground(custom):
    custom.create_namespaced_custom_object(*JOBS, pytorch_job())
    going = custom.delete_namespaced_custom_object(*JOBS, "demo", propagation_policy="Foreground")
    assert (going["metadata"]["finalizers"], going["metadata"]["generation"]) == (["foregroundDeletion"], 2)
    assert refusal(custom.get_namespaced_custom_object, *JOBS, "demo")["code"] == 404
    assert (
        "propagationPolicy"
        in refusal(custom.delete_namespaced_custom_object, *JOBS, "demo", propagation_policy="Sideways")["message"]
    )


def test_core_kinds_take_strategic_patches_and_custom_kinds_do_not(core, custom):
    core.create_namespaced_service_account("team-a", {"metadata": {"name": "choirmaster-job"}})
    body = {"automountServiceAccountToken": False}
    kind = {"_content_type": "application/strategic-merge-patch+json"}
    core.patch_namespaced_service_account("choirmaster-job", "team-a", body, **kind)
    assert core.read_namespaced_service_account("choirmaster-job", "team-a").automount_service_account_token is False
    custom.create_namespaced_custom_object(*JOBS, pytorch_job())
    assert refusal(custom.patch_namespaced_custom_object, *JOBS, "demo", {}, **kind)["code"] == 415


def test_claims_are_bound_at_once(core):
    spec = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Ti"}}}
    core.create_namespaced_persistent_volume_claim("team-a", {"metadata": {"name": "training-data"}, "spec": spec})
    claim = core.read_namespaced_persistent_volume_claim("training-data", "team-a")
    assert (claim.status.phase, claim.status.capacity) == ("Bound", {"storage": "1Ti"})


def test_namespaces_are_born_active_with_an_account(core):
    assert core.read_namespace("team-a").status.phase == "Active"
    assert core.read_namespaced_service_account("default", "team-a").metadata.uid


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", 400),
        (b"[]", 400),
        (b'{"kind": "Pod", "apiVersion": "v1"}', 400),
        (b'{"metadata": 1}', 400),
        (b'{"metadata": {"namespace": "other"}}', 400),
        (b'{"metadata": {"name": "A B"}}', 422),
        (b'{"metadata": {"name": 5}}', 400),
        (b"{}", 422),
        (b'{"metadata": {"name": "a", "labels": null}, "data": null}', 201),
        (b"x" * (3 * 1024 * 1024 + 1), 413),
    ],
    ids=["broken", "list", "kind", "metadata", "namespace", "name", "type", "nameless", "nulls", "long"],
)
def test_bodies_of_any_kind(sandbox, body, code):
    headers = {"Authorization": f"Bearer {sandbox.token}", "Content-Type": "application/json"}
    url = f"{sandbox.url}/api/v1/namespaces/team-a/configmaps"
    answer = httpx.post(url, content=body, headers=headers, timeout=10)
    assert answer.status_code == code
    assert answer.json().get("code", 201) == code


def test_wrong_verbs_are_not_allowed(sandbox):
    for method, path in (
        ("POST", "/api/v1/namespaces/team-a"),
        ("PUT", "/api/v1/namespaces"),
        ("DELETE", "/api/v1/nodes"),
    ):
        with pytest.raises(httpx.HTTPStatusError) as caught:
            sandbox.call(method, path, {})
        assert caught.value.response.status_code == 405


def test_a_dry_run_of_any_other_write_changes_nothing(custom):
    custom.create_namespaced_custom_object(*JOBS, pytorch_job())
    before = custom.get_namespaced_custom_object(*JOBS, "demo")
    change = {"metadata": {"labels": {"a": "b"}}, "spec": {"nprocPerNode": "8"}}
    patched = custom.patch_namespaced_custom_object(*JOBS, "demo", change, dry_run="All")
    assert (patched["spec"]["nprocPerNode"], patched["metadata"]["generation"]) == ("8", 2)
    status = {"status": {"startTime": "2026-03-01T12:00:00Z"}}
    assert custom.patch_namespaced_custom_object_status(*JOBS, "demo", status, dry_run="All")["status"]["startTime"]
    custom.patch_namespaced_custom_object(*JOBS, "demo", pytorch_job(nprocPerNode="2"), dry_run="All", **APPLY)
    custom.delete_namespaced_custom_object(*JOBS, "demo", dry_run="All")
    assert custom.get_namespaced_custom_object(*JOBS, "demo") == before
