"""The newest lines of a replica, or why there are none."""

from collections.abc import Sequence
from dataclasses import dataclass

from jobs.logs.lines import LogLine, parse
from jobs.models import Pod, Submission
from portal import database
from portal.kube.client import READ_SECONDS, Cluster
from portal.kube.errors import ClusterUnavailable, KindMissing, NotFound, Rejected

MAX_BYTES = 10 * 1024 * 1024
# A page waits no longer for its log: everything else on it comes from the database.
PATIENCE_SECONDS = 3

# What comes with a 400 (Kubernetes 1.36, pkg/registry/core/pod/strategy.go and pkg/kubelet/kubelet_pods.go).
_ANSWERS = (
    ("previous terminated container", "no_previous"),
    ("image can't be pulled", "image_failed"),
    ("failing to pull image", "image_failed"),
    ("ContainerCreating", "pulling"),
    ("PodInitializing", "pulling"),
)


@dataclass(frozen=True)
class Log:
    """`empty` is None where there are lines, else a code: not_started, pulling, image_failed, nothing_printed,
    no_previous, pod_gone, or unreachable (nothing is known). `message` then holds the cluster's own words.
    """

    replica: str
    pod: str
    lines: Sequence[LogLine] = ()
    empty: str | None = None
    message: str = ""


def tail(cluster: Cluster, submission: Submission, pod: Pod, *, lines: int | None = 200, previous: bool = False) -> Log:
    """The newest `lines` lines (None: all of them, at most 10 MiB) of the container that trains; of the one before
    its last restart with `previous`. Never raises for a log that cannot be had: `empty` says why.
    """
    replica = f"{pod.role}-{pod.index}"
    if pod.gone_at is not None:
        return Log(replica, pod.name, empty="pod_gone")
    database.let_go()
    try:
        data = cluster.logs(
            submission.namespace,
            pod.name,
            container=pod.container,
            tail_lines=lines,
            previous=previous,
            limit_bytes=MAX_BYTES,
            read_seconds=READ_SECONDS if lines is None else PATIENCE_SECONDS,
        )
    except NotFound:
        return Log(replica, pod.name, empty="pod_gone")
    except Rejected as error:
        return Log(replica, pod.name, empty=why_none(error.message), message=error.message)
    except (ClusterUnavailable, KindMissing) as error:
        return Log(replica, pod.name, empty="unreachable", message=error.message)
    found = [parse(line) for line in data.split(b"\n") if line]
    return Log(replica, pod.name, found, None if found else "nothing_printed")


def why_none(message: str) -> str:
    """The code for an answer of 400."""
    return next((code for words, code in _ANSWERS if words in message), "not_started")
