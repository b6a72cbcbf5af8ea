"""The status of a pod, changed in place: its phase, its conditions and the states of its containers."""

import hashlib
from typing import Any

Object = dict[str, Any]
ENDED = ("Succeeded", "Failed")


def put(pod: Object, kind: str, true: bool, *, at: str, reason: str = "", message: str = "") -> bool:
    """Set a pod condition and tell whether it changed; its time moves only with its status."""
    status = "True" if true else "False"
    new: Object = {"type": kind, "status": status, "lastProbeTime": None, "lastTransitionTime": at}
    if reason:
        new["reason"] = reason
    if message:
        new["message"] = message
    conditions = pod["status"].setdefault("conditions", [])
    for place, old in enumerate(conditions):
        if old["type"] == kind:
            if old["status"] == status:
                new["lastTransitionTime"] = old["lastTransitionTime"]
            conditions[place] = new
            return bool(old != new)
    conditions.append(new)
    return True


def admit(pod: Object, at: str) -> None:
    """Write the status of a pod whose containers are being created."""
    status = pod["status"]
    status["startTime"] = at
    put(pod, "PodScheduled", True, at=at)
    put(pod, "Initialized", True, at=at)
    names = ", ".join(container["name"] for container in pod["spec"]["containers"])
    for kind in ("Ready", "ContainersReady"):
        put(pod, kind, False, at=at, reason="ContainersNotReady", message=f"containers with unready status: [{names}]")
    status["containerStatuses"] = [
        {
            "name": container["name"],
            "image": container["image"],
            "imageID": "",
            "ready": False,
            "started": False,
            "restartCount": 0,
            "state": {"waiting": {"reason": "ContainerCreating"}},
            "lastState": {},
        }
        for container in pod["spec"]["containers"]
    ]


def wait(pod: Object, container: str, reason: str, message: str) -> None:
    """Let a container wait; an end it had becomes its last state."""
    status = next(item for item in pod["status"]["containerStatuses"] if item["name"] == container)
    if "terminated" in status["state"]:
        status["lastState"] = status["state"]
    status["state"] = {"waiting": {"reason": reason, "message": message}}


def start(pod: Object, at: str, address: str, *, again: bool) -> None:
    """Let all containers run; `again` counts a restart."""
    status = pod["status"]
    status |= {"phase": "Running", "podIP": address, "podIPs": [{"ip": address}]}
    for item in status["containerStatuses"]:
        if "terminated" in item["state"]:
            item["lastState"] = item["state"]
        item["restartCount"] += again
        identity = hashlib.sha256(
            f"{pod['metadata']['uid']}/{item['name']}/{item['restartCount']}".encode()
        ).hexdigest()
        image = hashlib.sha256(item["image"].encode()).hexdigest()
        item |= {
            "state": {"running": {"startedAt": at}},
            "ready": True,
            "started": True,
            "containerID": f"containerd://{identity}",
            "imageID": f"{item['image'].partition('@')[0]}@sha256:{image}",
        }
    for kind in ("Ready", "ContainersReady"):
        put(pod, kind, True, at=at)


def terminate(pod: Object, at: str, code: int, reason: str) -> None:
    """End all containers with the same code."""
    for item in pod["status"]["containerStatuses"]:
        started = item["state"]["running"]["startedAt"]
        ended = {"exitCode": code, "reason": reason, "startedAt": started, "finishedAt": at}
        item |= {
            "state": {"terminated": ended | {"containerID": item["containerID"]}},
            "ready": False,
            "started": False,
        }
    names = ", ".join(item["name"] for item in pod["status"]["containerStatuses"])
    for kind in ("Ready", "ContainersReady"):
        put(pod, kind, False, at=at, reason="ContainersNotReady", message=f"containers with unready status: [{names}]")


def end(pod: Object, at: str, *, failed: bool) -> None:
    """Close a pod whose containers are not restarted."""
    pod["status"]["phase"] = "Failed" if failed else "Succeeded"
    reason = "PodFailed" if failed else "PodCompleted"
    for kind in ("Ready", "ContainersReady"):
        put(pod, kind, False, at=at, reason=reason)


def duration(seconds: int) -> str:
    """Return seconds as Go prints a duration: 10s, 1m20s, 5m0s."""
    minutes, rest = divmod(seconds, 60)
    return f"{minutes}m{rest}s" if minutes else f"{rest}s"
