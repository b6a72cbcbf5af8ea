"""Which replica is named as the reason of a failure, and with which numbers."""

from jobs.state.facts import Facts, PodFacts
from jobs.state.failure import failure


def test_restarts_after_the_end_of_the_job_are_not_counted() -> None:
    """cleanPodPolicy None leaves the pods: the kubelet goes on restarting what crashes."""
    pod = PodFacts("worker", 2, exit_code=1, restarts=7)
    derived = failure(Facts(phase="Failed", backoff_limit=3, pods=[pod]))
    assert derived.params == {"replica": "worker-2", "exit_code": 1, "restarts": 3}


def test_the_last_restart_may_be_seen_after_the_end() -> None:
    pods = [PodFacts("worker", 2, exit_code=1, restarts=1), PodFacts("worker", 0, restarts=1)]
    message = "PyTorchJob p is failed because it has reached the specified backoff limit"
    derived = failure(Facts(phase="Failed", backoff_limit=3, message=message, pods=pods))
    assert derived.params == {"replica": "worker-2", "exit_code": 1, "restarts": 2}
