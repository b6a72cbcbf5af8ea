from typing import Any

from jobs.mirror import mirror_positions, mirror_workload
from jobs.models import Submission
from tests.jobs.mirror.cluster import ADMITTED, PENDING, workload


def place(submission: Submission, position: Any, name: str = "") -> dict[str, Any]:
    name = name or workload(submission)["metadata"]["name"]
    return {"metadata": {"name": name, "namespace": submission.namespace}, "positionInClusterQueue": position}


def queue(submission: Submission) -> str:
    return submission.tenant.cluster_queue.name


def test_places_count_from_one(submission: Submission) -> None:
    mirror_workload(workload(submission, *PENDING))
    mirror_positions(queue(submission), [place(submission, 0, "another"), place(submission, 1)])
    submission.refresh_from_db()
    assert (submission.params["position"], submission.params["of"]) == (2, 2)


def test_a_place_that_is_no_longer_told_is_not_known(submission: Submission) -> None:
    mirror_workload(workload(submission, *PENDING))
    mirror_positions(queue(submission), [place(submission, 0)])
    mirror_positions(queue(submission), [])
    submission.refresh_from_db()
    assert "position" not in submission.params


def test_a_change_of_place_is_no_change_of_reason(submission: Submission) -> None:
    mirror_workload(workload(submission, *PENDING))
    before = submission.changes.count()
    mirror_positions(queue(submission), [place(submission, 4)])
    assert submission.changes.count() == before


def test_an_admitted_workload_has_no_place(submission: Submission) -> None:
    mirror_workload(workload(submission, *ADMITTED))
    mirror_positions(queue(submission), [place(submission, 0)])
    assert submission.workloads.get().position is None


def test_what_cannot_be_read_is_left_out(submission: Submission) -> None:
    mirror_workload(workload(submission, *PENDING))
    mirror_positions(queue(submission), [{}, {"metadata": None}, place(submission, "first"), place(submission, 0)])
    assert submission.workloads.get().pending_total == 1
