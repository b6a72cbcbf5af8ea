from datetime import timedelta

import pytest
from django.utils import timezone

from jobs import sentences
from portal.names import GPU

WAITS = {"missing": 8, "resource": GPU, "flavor": "a100", "needs": 24, "at_most": 48, "position": 1, "of": 2}

# Every code of jobs.state: its parameters, its headline and its sentence.
CODES = [
    ("pending", {}, "Accepted", "Accepted; it is sent to the cluster next."),
    ("sending", {}, "Sending", "It is being sent to the cluster."),
    (
        "send_failed",
        {"tries": 2, "message": "connection refused"},
        "Not sent yet",
        "It could not be sent to the cluster yet; tried 2 times, the next try comes by itself. "
        "The cluster says: connection refused",
    ),
    (
        "rejected",
        {"message": "spec is required"},
        "Refused by the cluster",
        "The cluster refused the job. The cluster says: spec is required",
    ),
    ("no_workload", {}, "Not looked at yet", "The cluster has the job; its queue has not looked at it yet."),
    (
        "waiting_for_quota",
        WAITS,
        "Waiting for 8 more a100 GPUs",
        "Waits for 8 more a100 GPUs; position 1 of 2.",
    ),
    ("waiting_for_quota", {}, "Waiting for quota", "Waits until its queue has room for it."),
    (
        "waiting_for_quota",
        {"missing": 1, "resource": GPU, "flavor": "a100"},
        "Waiting for 1 more a100 GPU",
        "Waits for 1 more a100 GPU.",
    ),
    (
        "waiting_for_quota",
        {"missing": 16 << 30, "resource": "memory", "flavor": "a100", "position": 3},
        "Waiting for 16Gi more memory",
        "Waits for 16Gi more memory; position 3.",
    ),
    (
        "exceeds_max_quota",
        {"needs": 160, "at_most": 48, "resource": GPU},
        "Can never start: asks for 160 GPUs, its queue reaches 48 GPUs",
        "Asks for 160 GPUs; its queue can reach at most 48 GPUs. It will never start as it is.",
    ),
    (
        "exceeds_max_quota",
        {},
        "Can never start",
        "Asks for more than its queue can ever reach. It will never start as it is.",
    ),
    ("no_matching_flavor", {}, "No node type matches", "No node type of its queue matches what it asks for."),
    ("misconfigured", {}, "Its queue is not ready", "Its queue is missing or not ready."),
    (
        "queue_stopped",
        {},
        "Queue is stopped",
        "Its queue is stopped by an admin; nothing starts until it is opened again.",
    ),
    ("held", {}, "Held", "It is held back and does not start until it is released."),
    ("scheduler", {"message": "new words"}, "Scheduler says:", "Scheduler says: new words"),
    ("admitted", {}, "Admitted", "Admitted; its pods are being made."),
    (
        "pulling_image",
        {"replica": "worker-3", "image": "registry.internal/a:1"},
        "Pulling the image",
        "worker-3 pulls registry.internal/a:1.",
    ),
    (
        "image_failed",
        {"replica": "worker-3", "image": "registry.internal/a:1", "message": "not found"},
        "The image cannot be pulled",
        "worker-3 cannot start: registry.internal/a:1 could not be pulled. The cluster says: not found",
    ),
    (
        "unschedulable",
        {"replica": "worker-6"},
        "Admitted, but no node fits",
        "worker-6 was admitted, but no node can take it as things are.",
    ),
    ("pods_starting", {"ready": 3, "total": 4}, "Starting", "3 of 4 replicas ready."),
    ("pods_starting", {}, "Starting", "Its replicas start."),
    ("running", {}, "Running", "All its replicas run."),
    (
        "restarting",
        {"replica": "worker-2", "exit_code": 1, "restarts": 2},
        "Restarting",
        "worker-2 exited with code 1 and starts again; 2 restarts so far.",
    ),
    ("restarting", {}, "Restarting", "A replica ended and starts again."),
    (
        "preempted",
        {"cause": "InCohortReclamation"},
        "Stopped to make room for others",
        "Stopped to give quota back to those who own it; it is queued again by itself.",
    ),
    (
        "preempted",
        {"cause": "InClusterQueue"},
        "Stopped to make room for others",
        "Stopped for a job of higher priority in the same queue; it is queued again by itself.",
    ),
    (
        "requeued",
        {"cause": "PodsReadyTimeout"},
        "Took too long to start",
        "Not all its replicas ran within the time that Kueue gives a start; it is queued again by itself.",
    ),
    (
        "requeued",
        {"cause": "NodeFailures"},
        "A node failed",
        "Stopped because a node failed; it is queued again by itself.",
    ),
    (
        "requeued",
        {"cause": "FlavorMigration"},
        "Stopped and queued again",
        "Kueue stopped it (FlavorMigration); it is queued again by itself.",
    ),
    ("requeued", {}, "Stopped and queued again", "Kueue stopped it; it is queued again by itself."),
    ("stopping", {"pods": 3}, "Stopping", "Cancel requested; 3 pods still terminate."),
    ("stopping", {"pods": 1}, "Stopping", "Cancel requested; 1 pod still terminates."),
    ("stopping", {"pods": 0}, "Stopping", "Cancel requested; the cluster is removing it."),
    ("succeeded", {"seconds": 34860}, "Finished", "Finished in 9 h 41 min."),
    ("succeeded", {}, "Finished", "Finished."),
    (
        "crashed",
        {"replica": "worker-2", "exit_code": 1, "restarts": 3},
        "worker-2 exited with code 1",
        "worker-2 exited with code 1; 3 restarts used up.",
    ),
    (
        "out_of_memory",
        {"replica": "worker-3"},
        "Out of memory",
        "worker-3 ran out of memory (exit code 137).",
    ),
    ("deadline", {"seconds": 43200}, "Time limit reached", "Stopped at its time limit of 12 h."),
    (
        "backoff_limit",
        {"limit": 3},
        "Restarts used up",
        "Failed again after 3 restarts, as many as it may have.",
    ),
    ("failed", {}, "Failed", "It failed."),
    ("cancelled", {"by": "owner@premium.test"}, "Cancelled", "Cancelled by owner@premium.test."),
    ("cancelled", {}, "Cancelled", "Cancelled."),
    (
        "deleted_outside",
        {},
        "Deleted outside Choirmaster",
        "Deleted outside Choirmaster; how far it came is not known.",
    ),
]


@pytest.mark.parametrize(("reason", "params", "headline", "sentence"), CODES)
def test_words_of_a_code(reason, params, headline, sentence):
    assert sentences.words(reason, params).headline == headline
    assert sentences.sentence("", reason, params) == sentence


def test_a_code_without_words_shows_what_the_scheduler_said():
    assert sentences.sentence("queued", "brand_new", {"message": "odd"}) == "Scheduler says: odd"


@pytest.mark.parametrize(
    ("seconds", "headline"), [(1, "Not looked at yet"), (90, "Kueue does not see it"), (7200, "Kueue does not see it")]
)
def test_a_job_that_nobody_queues_is_told_of(seconds, headline):
    since = (timezone.now() - timedelta(seconds=seconds)).isoformat()
    assert sentences.words("no_workload", {"since": since}).headline == headline


def test_the_past_does_not_grow_older():
    since = (timezone.now() - timedelta(hours=2)).isoformat()
    assert sentences.sentence("running", "running", {"since": since}) == "Runs for 2 h."
    assert sentences.past_sentence("running", "running", {"since": since}) == "All its replicas run."


def test_a_preempted_job_that_waits_says_both():
    said = sentences.sentence("preempted", "waiting_for_quota", WAITS)
    assert said == "Stopped and queued again. Waits for 8 more a100 GPUs; position 1 of 2."


@pytest.mark.parametrize(
    ("count", "resource", "flavor", "text"),
    [
        (1, GPU, "", "1 GPU"),
        (8, GPU, "a100", "8 a100 GPUs"),
        (32000, "cpu", "", "32 CPUs"),
        (1000, "cpu", "", "1 CPU"),
        (1500, "cpu", "", "1500m CPUs"),
        (256 << 30, "memory", "", "256Gi memory"),
        (100 << 30, "ephemeral-storage", "", "100Gi ephemeral storage"),
        (2, "example.com/fpga", "", "2 example.com/fpga"),
    ],
)
def test_amount(count, resource, flavor, text):
    assert sentences.amount(count, resource, flavor) == text


@pytest.mark.parametrize(
    "code",
    ["no_pod", "not_started", "pulling", "image_failed", "nothing_printed", "no_previous", "pod_gone", "unreachable"],
)
def test_every_empty_log_is_explained_in_its_own_words(code):
    said = sentences.why_no_log(code, "")
    assert said != sentences.why_no_log("?", "") and said.endswith(".")
