"""The job of the issue, from the form or a script to its end on a sandbox whose clock moves by hand."""

import json
from typing import Any
from uuid import UUID

import pytest

from jobs.mirror import resync
from jobs.models import Submission
from portal.names import GPU, LOCAL_QUEUE, QUEUE_LABEL
from quotas.manifests import QuotaLine
from quotas.models import ClusterQueue
from quotas.services import set_quota
from tests.flows.control import Control
from tests.flows.leaves import leaves
from tests.flows.people import Place, make_place

INPUT = {"model": "meta-llama/Llama-3-8B", "workers": 4, "gpus_per_worker": 4, "cpu": 32, "memory": "256Gi"}


def submit(place: Place, **values: object) -> UUID:
    body = {"template": "pytorch-ddp", "name": "llama3-8b-finetune", "values": {**INPUT, **values}}
    answer = place.rest(json.dumps(body).encode())
    assert answer.status_code == 201, answer.content
    return UUID(answer.json()["uid"])


def submit_by_form(place: Place, **values: object) -> UUID:
    fields = {f"values.{name}": str(value) for name, value in {**INPUT, **values}.items()}
    answer = place.form({"name": "llama3-8b-finetune", **fields})
    assert answer.status_code == 303, answer.content
    return UUID(answer.headers["Location"].strip("/").rsplit("/", 1)[-1])


@pytest.mark.parametrize("door", [submit, submit_by_form])
def test_the_input_succeeds(door: Any, control: Control, premium: Place) -> None:
    uid = door(premium)
    assert premium.job(uid)["state"] == "submitted"
    states = control.until(uid, "succeeded", step=1)
    assert states[-3:] == ["starting", "running", "succeeded"]
    job = premium.job(uid)
    assert job["gpus"] == 16
    assert job["replicas"] == {"total": 4, "active": 0, "succeeded": 4, "failed": 0}
    for index in range(4):
        lines = premium.get(f"{uid}/logs/?replica=worker-{index}&tail=5")["lines"]
        assert "checkpoint saved to /checkpoints" in lines[-1]["text"]
    assert "Succeeded" in premium.page(uid)


def test_every_leaf_that_was_sent_is_stored(control: Control, premium: Place) -> None:
    uid = submit(premium)
    manifest = Submission.objects.get(uid=uid).manifest
    assert manifest["metadata"]["labels"][QUEUE_LABEL] == LOCAL_QUEUE
    assert manifest["spec"]["runPolicy"]["suspend"] is True
    dry = control.cluster.create(manifest, dry_run=True)
    stored = dict(leaves(dry))
    assert {path: value for path, value in leaves(manifest) if stored.get(path) != value} == {}
    control.work()
    stored = dict(leaves(control.job(uid)))
    changed = {path for path, value in leaves(manifest) if stored.get(path) != value}
    assert changed <= {".spec.runPolicy.suspend"}, "Kueue alone takes the suspension away"


def test_free_is_refused_before_it_is_stored(control: Control, premium: Place) -> None:
    free = make_place(ClusterQueue.objects.get(name="free").tenant)
    answer = free.rest(json.dumps({"template": "pytorch-ddp", "name": "a", "values": INPUT}).encode())
    assert answer.status_code == 422
    [error] = answer.json()["errors"]
    assert error["path"] == "values.workers"
    assert "at most 4" in error["message"]
    page = free.form({"name": "a", **{f"values.{name}": str(value) for name, value in INPUT.items()}})
    assert page.status_code == 422
    assert "at most 4" in page.content.decode()
    assert not Submission.objects.exists()


def test_the_second_job_waits_and_starts_when_the_first_ends(control: Control, premium: Place) -> None:
    first, second = submit(premium, workers=8), submit(premium, workers=6)
    control.until(first, "running")
    waiting = premium.job(second)
    assert (waiting["state"], waiting["reason"]) == ("queued", "waiting_for_quota")
    assert {"missing": 8, "position": 1, "at_most": 48, "flavor": "a100"}.items() <= waiting["params"].items()
    page = premium.page(second)
    assert "Waiting for 8 more a100 GPUs" in page
    assert "position 1" in page
    assert "reaches at most 48 a100 GPUs" in page
    control.until(first, "succeeded")
    control.until(second, "running")


@pytest.mark.parametrize(("queue", "line"), [("premium", (32, 8)), ("reserve", (4, None))])
def test_a_smaller_cohort_is_what_the_page_says(
    queue: str, line: tuple[int, int | None], control: Control, premium: Place
) -> None:
    set_quota(cluster_queue=ClusterQueue.objects.get(name=queue), quota=QuotaLine("a100", GPU, *line))
    control.apply()
    first, second = submit(premium, workers=8), submit(premium, workers=6)
    control.until(first, "running")
    params = premium.job(second)["params"]
    assert (params["at_most"], params["missing"]) == (40, 16)


@pytest.mark.parametrize("state", ["submitted", "running"])
def test_cancel_ends_the_job(state: str, control: Control, premium: Place) -> None:
    uid = submit(premium)
    control.until(uid, state)
    assert premium.cancel(uid)["state"] in {"stopping", "cancelled"}
    control.until(uid, "cancelled")
    pods = json.loads(control.sandbox.call("GET", f"/api/v1/namespaces/{premium.tenant.namespace}/pods"))["items"]
    assert pods == []


def test_a_crash_names_the_replica_and_its_code(control: Control, premium: Place) -> None:
    uid = submit(premium, rehearsal="crash")
    control.until(uid, "failed")
    job = premium.job(uid)
    assert "worker-2" in job["sentence"]
    assert "code 1" in job["sentence"]
    assert "worker-2" in premium.page(uid)


def set_stop_policy(control: Control, policy: str) -> None:
    path = "/apis/kueue.x-k8s.io/v1beta2/clusterqueues/premium"
    queue = json.loads(control.sandbox.call("GET", path))
    queue["spec"]["stopPolicy"] = policy
    control.sandbox.call("PUT", path, queue)
    resync(control.cluster)


def test_a_job_waits_while_an_admin_holds_its_queue(control: Control, premium: Place) -> None:
    set_stop_policy(control, "Hold")
    uid = submit(premium)
    control.until(uid, "held")
    assert premium.job(uid)["reason"] == "queue_stopped"
    assert "stopped by an admin" in premium.page(uid)
    set_stop_policy(control, "None")
    control.until(uid, "running")
