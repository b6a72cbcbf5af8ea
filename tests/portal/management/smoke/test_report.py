from uuid import uuid4

import httpx

from portal.management.smoke.report import logs, timeline
from portal.management.smoke.rest import Rest


def _answer(request: httpx.Request) -> httpx.Response:
    """Only worker-1 was restarted."""
    asked = request.url.params
    if asked["previous"] == "1":
        return httpx.Response(200, json={"lines": [{"text": "RuntimeError"}] if asked["replica"] == "worker-1" else []})
    return httpx.Response(200, json={"lines": [{"text": "step=10"}]})


def test_the_log_of_what_broke_is_the_one_of_the_run_that_broke() -> None:
    rest = Rest("http://portal.test", "cm_t", "premium")
    rest.http = httpx.Client(base_url=rest.http.base_url, transport=httpx.MockTransport(_answer))
    job = {"uid": str(uuid4()), "state": "failed", "params": {"replica": "worker-1"}, "replicas": {"total": 2}}
    assert list(logs(rest, job)) == ["  worker-0", "    step=10", "  worker-1", "    RuntimeError"]
    never_restarted = job | {"params": {"replica": "worker-0"}}
    assert list(logs(rest, never_restarted)) == ["  worker-0", "    step=10", "  worker-1", "    step=10"]


def test_each_change_has_its_time_and_the_seconds_since_the_submission() -> None:
    job = {
        "name": "llama3-8b-finetune",
        "job_name": "llama3-8b-finetune-0123456789ab",
        "gpus": 16,
        "replicas": {"total": 4},
        "submitted_at": "2026-11-29T12:00:00Z",
        "changes": [
            {"at": "2026-11-29T12:00:01.500000Z", "state": "queued", "sentence": "Waits."},
            {"at": "2026-11-29T12:01:05Z", "state": "succeeded", "sentence": "Finished in 21 s."},
        ],
    }
    assert list(timeline(job)) == [
        "llama3-8b-finetune: 16 GPUs, 4 replicas, llama3-8b-finetune-0123456789ab",
        "  12:00:01  +  1.5 s  queued     Waits.",
        "  12:01:05  + 65.0 s  succeeded  Finished in 21 s.",
    ]
