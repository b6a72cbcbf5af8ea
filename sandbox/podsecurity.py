"""Pod Security admission: the `restricted` profile of a namespace's label, checked on pods.

Rules and wordings: k8s.io/pod-security-admission, policy/check_*.go (Kubernetes 1.36). Of the baseline rules only those
that a job's template can break are here: host namespaces, privileged containers, host ports and host paths.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

ENFORCE_LABEL = "pod-security.kubernetes.io/enforce"
VERSION_LABEL = "pod-security.kubernetes.io/enforce-version"
_VOLUMES = frozenset(
    {
        "configMap",
        "csi",
        "downwardAPI",
        "emptyDir",
        "ephemeral",
        "image",
        "persistentVolumeClaim",
        "projected",
        "secret",
    }
)

Container = Mapping[str, Any]


def violation(pod: Mapping[str, Any], labels: Mapping[str, str]) -> str:
    """Return why a pod may not run in a namespace with these labels, or an empty text."""
    level = labels.get(ENFORCE_LABEL, "privileged")
    if level not in {"baseline", "restricted"}:
        return ""
    spec = pod["spec"]
    containers = [*(spec.get("initContainers") or []), *(spec.get("containers") or [])]
    problems = _baseline(spec, containers)
    if level == "restricted":
        problems += _restricted(spec, containers)
    if not problems:
        return ""
    return f'violates PodSecurity "{level}:{labels.get(VERSION_LABEL, "latest")}": {", ".join(problems)}'


def _context(item: Mapping[str, Any]) -> Mapping[str, Any]:
    return item.get("securityContext") or {}


def _offenders(containers: Sequence[Container], breaks: Callable[[Container], bool]) -> str:
    """Return the offending containers as the messages name them, or an empty text."""
    names = [f'"{container["name"]}"' for container in containers if breaks(container)]
    return f"container{'s' if len(names) > 1 else ''} {', '.join(names)}" if names else ""


def _baseline(spec: Mapping[str, Any], containers: Sequence[Container]) -> list[str]:
    problems = []
    hosts = [f"{name}=true" for name in ("hostNetwork", "hostPID", "hostIPC") if spec.get(name)]
    if hosts:
        problems.append(f"host namespaces ({', '.join(hosts)})")
    if who := _offenders(containers, lambda item: bool(_context(item).get("privileged"))):
        problems.append(f"privileged ({who} must not set securityContext.privileged=true)")
    if who := _offenders(containers, lambda item: any(port.get("hostPort") for port in item.get("ports") or [])):
        problems.append(f"hostPort ({who} uses a hostPort)")
    paths = [f'"{volume["name"]}"' for volume in spec.get("volumes") or [] if "hostPath" in volume]
    if paths:
        problems.append(f"hostPath volumes (volume{'s' if len(paths) > 1 else ''} {', '.join(paths)})")
    return problems


def _restricted(spec: Mapping[str, Any], containers: Sequence[Container]) -> list[str]:
    pod_context = _context(spec)
    problems = []
    if who := _offenders(containers, lambda item: _context(item).get("allowPrivilegeEscalation") is not False):
        text = f"({who} must set securityContext.allowPrivilegeEscalation=false)"
        problems.append(f"allowPrivilegeEscalation != false {text}")
    if who := _offenders(containers, lambda item: "ALL" not in (_capabilities(item).get("drop") or [])):
        problems.append(f'unrestricted capabilities ({who} must set securityContext.capabilities.drop=["ALL"])')
    if who := _offenders(
        containers, lambda item: bool({*(_capabilities(item).get("add") or [])} - {"NET_BIND_SERVICE"})
    ):
        problems.append(f"unrestricted capabilities ({who} must not add any capability but NET_BIND_SERVICE)")
    volumes = [item["name"] for item in spec.get("volumes") or [] if not _VOLUMES & item.keys()]
    if volumes:
        names = ", ".join(f'"{name}"' for name in volumes)
        problems.append(
            f"restricted volume types (volume{'s' if len(volumes) > 1 else ''} {names} use a restricted type)"
        )
    if who := _offenders(containers, lambda item: _setting("runAsNonRoot", item, pod_context) is not True):
        problems.append(f"runAsNonRoot != true (pod or {who} must set securityContext.runAsNonRoot=true)")
    if who := _offenders(containers, lambda item: _setting("runAsUser", item, pod_context) == 0):
        problems.append(f"runAsUser=0 (pod or {who} must not set runAsUser=0)")
    if who := _offenders(containers, lambda item: not _confined(item, pod_context)):
        text = f'(pod or {who} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")'
        problems.append(f"seccompProfile {text}")
    return problems


def _capabilities(container: Container) -> Mapping[str, Any]:
    return _context(container).get("capabilities") or {}


def _setting(name: str, container: Container, pod_context: Mapping[str, Any]) -> Any:
    """Return a setting of the container, or the pod's where the container has none."""
    return _context(container).get(name, pod_context.get(name))


def _confined(container: Container, pod_context: Mapping[str, Any]) -> bool:
    profile = _setting("seccompProfile", container, pod_context) or {}
    return profile.get("type") in {"RuntimeDefault", "Localhost"}
