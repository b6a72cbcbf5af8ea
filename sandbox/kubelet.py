"""The kubelet: pods from their node to their end, phase by phase, and their logs.

States, reasons and messages: Kubernetes 1.36, pkg/kubelet. All containers of a pod go through the same states
together; what they do is the pod's scenario. A container that fails is restarted at once the first time, then after 10,
20, 40 … at most 300 seconds, as kuberuntime's back-off does; a run of ten minutes starts the count anew.
"""

import zlib
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sandbox import errors, podstatus, scenario, torchrun
from sandbox.clock import parse
from sandbox.placement import Placement
from sandbox.podstatus import Object
from sandbox.scenario import Ending, Scenario
from sandbox.store import Store

MANAGER = "kubelet"
GRACE = timedelta(seconds=1)
RESTART = timedelta(seconds=1)
_FIRST_BACKOFF, _LONGEST_BACKOFF, _FORGIVEN = 10, 300, 600
_STILL_WAITING = {
    "ErrImagePull": "image can't be pulled",
    "ImagePullBackOff": "trying and failing to pull image",
}

Key = tuple[str, str]


class Kubelet:
    """The scheduler's and the kubelets' work on the pods of one store."""

    def __init__(self, store: Store, placement: Placement) -> None:
        self._store = store
        self._placement = placement

    def reconcile(self, key: Key) -> datetime | None:
        """Bring a pod to the state that is due now; return when the next one is due by itself."""
        pod = self._store.get("pods", *key)
        if pod is None:
            return None
        if pod["metadata"].get("deletionTimestamp"):
            return self._terminate(pod)
        if pod["status"].get("phase") in podstatus.ENDED:
            return None
        if not pod["spec"].get("nodeName") and not self._bind(pod, key):
            return None
        if not pod["status"].get("containerStatuses"):
            self._admit(pod)
        return self._advance(pod)

    # From nothing to a node

    def _bind(self, pod: Object, key: Key) -> bool:
        node, why = self._placement.find(pod)
        if not node:
            self._placement.waiting[key] = None
            if podstatus.put(pod, "PodScheduled", False, at=self._at, reason="Unschedulable", message=why):
                self._save(pod, "kube-scheduler")
                self._tell(pod, "FailedScheduling", why, component="default-scheduler", warning=True)
            return False
        pod["spec"]["nodeName"] = node
        bound = self._store.update("pods", pod, manager="kube-scheduler")
        pod["metadata"] = bound["metadata"]
        text = f"Successfully assigned {key[0]}/{key[1]} to {node}"
        self._tell(pod, "Scheduled", text, component="default-scheduler")
        return True

    def _admit(self, pod: Object) -> None:
        """Accept a pod that has just come to its node, and begin to pull its images."""
        _, problems = _scenario(pod)
        for problem in problems:
            self._tell(pod, "InvalidScenario", problem, warning=True)
        podstatus.admit(pod, self._at)
        self._save(pod)
        for container in pod["spec"]["containers"]:
            self._tell(pod, "Pulling", f'Pulling image "{container["image"]}"')

    # From state to state

    def _advance(self, pod: Object) -> datetime | None:
        """Go through all states that are due; a state that is not over yet says when it will be."""
        plan, _ = _scenario(pod)
        while True:
            state = pod["status"]["containerStatuses"][0]["state"]
            if "waiting" in state:
                due = self._waiting(pod, plan, state["waiting"]["reason"])
            elif "running" in state:
                due = self._running(pod, plan.ending, state["running"])
            elif pod["status"]["phase"] in podstatus.ENDED:
                return None
            else:
                due = parse(state["terminated"]["finishedAt"]) + RESTART
                if due <= self._now:
                    self._start(pod, again=True)
            if due is None or due > self._now:
                return due

    def _waiting(self, pod: Object, plan: Scenario, reason: str) -> datetime | None:
        if reason == "CrashLoopBackOff":
            status = pod["status"]["containerStatuses"][0]
            due = parse(status["lastState"]["terminated"]["finishedAt"]) + timedelta(seconds=_backoff(status))
            if due <= self._now:
                self._start(pod, again=True)
            return due
        pulled = parse(pod["status"]["startTime"]) + timedelta(seconds=_pull_seconds(pod) + plan.start_delay)
        if pulled > self._now:
            return pulled
        if plan.missing_image:
            return self._fail_to_pull(pod, self._now - pulled, reason)
        self._start(pod, again=False)
        return pulled

    def _fail_to_pull(self, pod: Object, since: timedelta, reason: str) -> datetime:
        """Show the attempt that is due: a second of ErrImagePull, then ImagePullBackOff until the next one."""
        attempt_at, interval = 0, _FIRST_BACKOFF
        while since >= timedelta(seconds=attempt_at + interval):
            attempt_at, interval = attempt_at + interval, min(interval * 2, _LONGEST_BACKOFF)
        fresh = since < timedelta(seconds=attempt_at + 1)
        wanted = "ErrImagePull" if fresh else "ImagePullBackOff"
        if wanted != reason:
            self._show_pull_failure(pod, wanted)
        return self._now - since + timedelta(seconds=attempt_at + (1 if fresh else interval))

    def _show_pull_failure(self, pod: Object, reason: str) -> None:
        for container in pod["spec"]["containers"]:
            image = container["image"]
            cause = (
                f'rpc error: code = NotFound desc = failed to pull and unpack image "{image}": '
                f'failed to resolve reference "{image}": {image}: not found'
            )
            if reason == "ErrImagePull":
                self._tell(pod, "Failed", f'Failed to pull image "{image}": {cause}', warning=True)
                podstatus.wait(pod, container["name"], reason, cause)
            else:
                text = f'Back-off pulling image "{image}"'
                self._tell(pod, "BackOff", text)
                podstatus.wait(pod, container["name"], reason, f"{text}: ErrImagePull: {cause}")
        self._tell(pod, "Failed", f"Error: {reason}", warning=True)
        self._save(pod)

    def _start(self, pod: Object, *, again: bool) -> None:
        podstatus.start(pod, self._at, _address(pod), again=again)
        self._save(pod)
        for container in pod["spec"]["containers"]:
            image, seconds = container["image"], _pull_seconds(pod)
            text = f'Successfully pulled image "{image}" in {seconds:.3g}s ({seconds:.3g}s including waiting)'
            self._tell(pod, "Pulled", f'Container image "{image}" already present on machine' if again else text)
            self._tell(pod, "Created", f"Created container: {container['name']}")
            self._tell(pod, "Started", f"Started container {container['name']}")

    def _running(self, pod: Object, ending: Ending | None, running: Mapping[str, Any]) -> datetime | None:
        if ending is None:
            return None
        due = parse(running["startedAt"]) + timedelta(seconds=ending.seconds)
        if due <= self._now:
            self._exit(pod, ending)
        return due

    def _exit(self, pod: Object, ending: Ending) -> None:
        """End all containers; then the pod is over, or they are restarted in place."""
        podstatus.terminate(pod, self._at, ending.code, ending.reason)
        policy = pod["spec"].get("restartPolicy", "Always")
        if policy == "Never" or (policy == "OnFailure" and ending.code == 0):
            podstatus.end(pod, self._at, failed=ending.code != 0)
            self._save(pod)
            return
        delay = _backoff(pod["status"]["containerStatuses"][0])
        meta = pod["metadata"]
        whole_name = f"{meta['name']}_{meta['namespace']}({meta['uid']})"
        for container in pod["spec"]["containers"] if delay else ():
            name = container["name"]
            text = f"back-off {podstatus.duration(delay)} restarting failed container={name} pod={whole_name}"
            podstatus.wait(pod, name, "CrashLoopBackOff", text)
            text = f"Back-off restarting failed container {name} in pod {whole_name}"
            self._tell(pod, "BackOff", text, warning=True)
        self._save(pod)

    def _terminate(self, pod: Object) -> datetime | None:
        meta = pod["metadata"]
        asked = parse(meta["deletionTimestamp"]) - timedelta(seconds=meta.get("deletionGracePeriodSeconds") or 0)
        if asked + GRACE > self._now:
            return asked + GRACE
        if self._store.delete("pods", meta["namespace"], meta["name"], grace=0) is None:
            for container in pod["spec"]["containers"]:
                self._tell(pod, "Killing", f"Stopping container {container['name']}")
        return None

    # Small things

    @property
    def _now(self) -> datetime:
        return self._store.clock.now()

    @property
    def _at(self) -> str:
        return self._store.clock.stamp()

    def _save(self, pod: Object, manager: str = MANAGER) -> None:
        saved = self._store.update_status("pods", pod, manager=manager)
        pod["metadata"] = saved["metadata"]

    def _tell(self, pod: Object, reason: str, message: str, *, component: str = MANAGER, warning: bool = False) -> None:
        kind, series = "Warning" if warning else "Normal", component != MANAGER
        self._store.record_event(pod, type=kind, reason=reason, message=message, component=component, series=series)


def _scenario(pod: Mapping[str, Any]) -> tuple[Scenario, list[str]]:
    return scenario.parse(pod["metadata"].get("annotations") or {}, torchrun.replica_index(pod))


def _backoff(status: Mapping[str, Any]) -> int:
    """Return the seconds before the next start of a container that has just ended, or is waiting to restart."""
    ended = (status["state"].get("terminated") or status.get("lastState", {}).get("terminated")) or {}
    ran = parse(ended["finishedAt"]) - parse(ended["startedAt"])
    count: int = status["restartCount"]
    if count == 0 or ran >= timedelta(seconds=_FORGIVEN):
        return 0
    return min(_FIRST_BACKOFF << min(count - 1, 10), _LONGEST_BACKOFF)


def _digest(pod: Mapping[str, Any]) -> int:
    return zlib.crc32(pod["metadata"]["uid"].encode())


def _pull_seconds(pod: Mapping[str, Any]) -> float:
    """Return how long the image takes: one to three seconds, always the same for one pod."""
    return 1 + _digest(pod) % 2001 / 1000


def _address(pod: Mapping[str, Any]) -> str:
    number = _digest(pod)
    return f"10.244.{number >> 8 & 255}.{number % 254 + 1}"


def log_lines(store: Store, pod: dict[str, Any], container: str | None, previous: bool) -> list[tuple[datetime, str]]:
    """Return every line the container printed so far, with its time; with `previous`, those of the run before.

    Raises StatusError 400, as the API server does, when there is nothing to read or the container is not clear.
    """
    spec = _container(pod, container)
    name, pod_name = spec["name"], pod["metadata"]["name"]
    if not pod["spec"].get("nodeName"):
        raise errors.bad_request(f"pod {pod_name} does not have a host assigned")
    statuses = pod["status"].get("containerStatuses") or []
    status = next((item for item in statuses if item["name"] == name), None)
    state = status["state"] if status else {"waiting": {"reason": "ContainerCreating"}}
    last = (status or {}).get("lastState", {}).get("terminated")
    count = status["restartCount"] if status else 0
    plan, _ = _scenario(pod)
    if previous:
        if last is None:
            raise errors.bad_request(f'previous terminated container "{name}" in pod "{pod_name}" not found')
        ran, number = last, count if "waiting" in state else count - 1
    else:
        ran, number = state.get("running") or state.get("terminated") or last, count
    if ran is None:
        reason = state["waiting"]["reason"]
        why = _STILL_WAITING.get(reason, reason)
        raise errors.bad_request(f'container "{name}" in pod "{pod_name}" is waiting to start: {why}')
    end = parse(ran["finishedAt"]) if "finishedAt" in ran else None
    run = torchrun.Run(pod, spec, plan, number, parse(ran["startedAt"]), end, ran.get("exitCode", 0))
    return torchrun.lines(run, store.clock.now())


def _container(pod: Mapping[str, Any], wanted: str | None) -> Mapping[str, Any]:
    """Return the container that is meant; raises StatusError 400 when none is."""
    containers: list[Mapping[str, Any]] = pod["spec"]["containers"]
    name = pod["metadata"]["name"]
    if not wanted:
        if len(containers) == 1:
            return containers[0]
        names = " ".join(item["name"] for item in containers)
        raise errors.bad_request(f"a container name must be specified for pod {name}, choose one of: [{names}]")
    for item in containers:
        if item["name"] == wanted:
            return item
    raise errors.bad_request(f"container {wanted} is not valid for pod {name}")
