"""The replicas of a job as a table: the newest pod of each, the broken ones first."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from jobs.models import Pod, Submission
from jobs.queries import newest_pods


@dataclass(frozen=True)
class Replica:
    """`tone`, `glyph` and `word` are its chip; `rank` sorts, trouble first."""

    pod: Pod
    tone: str
    glyph: str
    word: str
    rank: int

    @property
    def name(self) -> str:
        return f"{self.pod.role}-{self.pod.index}"


def replicas(submission: Submission) -> list[Replica]:
    rows = [Replica(pod, *_look(pod)) for pod in newest_pods(submission)]
    return sorted(rows, key=lambda row: (row.rank, row.pod.role, row.pod.index))


def _look(pod: Pod) -> tuple[str, str, str, int]:
    """(tone, glyph, word, rank) of a pod, out of what the kubelet last said."""
    if pod.phase == "Succeeded":
        return "succeeded", "circle-check", _("Succeeded"), 4
    if pod.phase == "Failed":
        return "failed", "octagon-x", _("Failed"), 0
    if pod.gone_at is not None:
        return "quiet", "ban", _("Gone"), 5
    if pod.terminating:
        return "quiet", "square-dot", _("Terminating"), 2
    if pod.state == "running" and pod.ready:
        return "running", "circle-play", _("Running"), 3
    return _look_of_a_start(pod)


def _look_of_a_start(pod: Pod) -> tuple[str, str, str, int]:
    if pod.restarts and pod.state != "running":
        return "warning", "triangle-alert", _("Restarting"), 0
    if pod.reason in {"ErrImagePull", "ImagePullBackOff", "InvalidImageName"}:
        return "failed", "octagon-x", _("No image"), 0
    if pod.reason == "Unschedulable":
        return "warning", "triangle-alert", _("No node"), 1
    return "starting", "contrast", _("Starting"), 2
