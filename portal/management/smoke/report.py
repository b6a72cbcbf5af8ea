"""What `make smoke` prints of a job: its timeline with times, and how each replica's log ends."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from portal.management.smoke.rest import Rest

LOG_LINES = 3


def timeline(job: Mapping[str, Any]) -> Iterator[str]:
    """One line per change of state or reason: the time, the seconds since the submission, the sentence."""
    submitted = datetime.fromisoformat(job["submitted_at"])
    yield f"{job['name']}: {job['gpus']} GPUs, {job['replicas']['total']} replicas, {job['job_name']}"
    for change in job["changes"]:
        at = datetime.fromisoformat(change["at"])
        yield f"  {at:%H:%M:%S}  +{(at - submitted).total_seconds():5.1f} s  {change['state']:<10} {change['sentence']}"


def logs(rest: Rest, job: Mapping[str, Any]) -> Iterator[str]:
    """The last lines of each replica; of one that broke and was restarted, those of the run that broke."""
    uid, broken = UUID(job["uid"]), job["params"].get("replica") if job["state"] == "failed" else None
    for index in range(job["replicas"]["total"]):
        replica = f"worker-{index}"
        before = rest.log(uid, replica, LOG_LINES, previous=True) if replica == broken else []
        lines = before or rest.log(uid, replica, LOG_LINES)
        yield f"  {replica}"
        yield from (f"    {line}" for line in lines)
        if not lines:
            yield "    (no line)"
