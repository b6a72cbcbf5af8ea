from portal.management.smoke.report import timeline


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
