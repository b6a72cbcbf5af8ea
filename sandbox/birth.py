"""What the API server and its closest controllers put into an object when it is made."""

from typing import Any

from sandbox.canonical import canonical

_QUOTAS = {"borrowingLimit", "lendingLimit", "nominalQuota"}


def complete(resource: str, obj: dict[str, Any]) -> None:
    """Fill in, in place, what a new object gets at once; a kind that is not named stays as it is."""
    if resource == "namespaces":
        _namespace(obj)
    elif resource == "persistentvolumeclaims":
        _claim(obj)
    elif resource == "pods":
        _pod(obj)
    elif resource == "clusterqueues.kueue.x-k8s.io":
        _cluster_queue(obj)


def _namespace(obj: dict[str, Any]) -> None:
    labels = obj["metadata"].setdefault("labels", {})
    labels["kubernetes.io/metadata.name"] = obj["metadata"]["name"]
    obj.setdefault("spec", {}).setdefault("finalizers", ["kubernetes"])
    obj["status"] = {"phase": "Active"}


def _claim(obj: dict[str, Any]) -> None:
    """A claim is bound the moment it exists, as if its volume had waited for it."""
    spec = obj.setdefault("spec", {})
    _write_quantities(spec)
    spec.setdefault("volumeMode", "Filesystem")
    spec.setdefault("volumeName", f"pvc-{obj['metadata']['uid']}")
    obj["status"] = {
        "phase": "Bound",
        "accessModes": list(spec.get("accessModes", [])),
        "capacity": dict(spec.get("resources", {}).get("requests", {})),
    }


def _pod(obj: dict[str, Any]) -> None:
    spec = obj.setdefault("spec", {})
    spec.setdefault("restartPolicy", "Always")
    spec.setdefault("serviceAccountName", "default")
    spec.setdefault("terminationGracePeriodSeconds", 30)
    for container in spec.get("containers", []) + spec.get("initContainers", []):
        _write_quantities(container)
    for volume in spec.get("volumes", []):
        if "sizeLimit" in volume.get("emptyDir", {}):
            volume["emptyDir"]["sizeLimit"] = canonical(volume["emptyDir"]["sizeLimit"])
    obj.setdefault("status", {}).setdefault("phase", "Pending")


def _cluster_queue(obj: dict[str, Any]) -> None:
    """Kueue's webhook decodes a new ClusterQueue and writes it again; at an update it does not (seen with 0.19)."""
    for group in obj.get("spec", {}).get("resourceGroups") or []:
        for flavor in group["flavors"]:
            for quota in flavor.get("resources", []):
                for name in _QUOTAS & quota.keys():
                    quota[name] = canonical(quota[name])


def _write_quantities(holder: dict[str, Any]) -> None:
    """Kinds that are Go types hold quantities as canonical texts, whatever somebody sent."""
    for side in ("limits", "requests"):
        held = holder.get("resources", {}).get(side)
        if held:
            holder["resources"][side] = {name: canonical(value) for name, value in held.items()}
