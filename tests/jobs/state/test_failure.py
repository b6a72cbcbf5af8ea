"""Which replica is named as the reason of a failure, and with which numbers."""

from jobs.state.facts import Facts, PodFacts
from jobs.state.failure import failure


def test_restarts_after_the_end_of_the_job_are_not_counted() -> None:
    """cleanPodPolicy None leaves the pods: the kubelet goes on restarting what crashes."""
    pod = PodFacts("worker", 2, exit_code=1, restarts=7)
    derived = failure(Facts(phase="Failed", backoff_limit=3, pods=[pod]))
    assert derived.params == {"replica": "worker-2", "exit_code": 1, "restarts": 3}
