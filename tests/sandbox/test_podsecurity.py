"""Pod Security: what the profiles refuse."""

from typing import Any

import pytest

from sandbox.podsecurity import ENFORCE_LABEL, violation

RESTRICTED = {ENFORCE_LABEL: "restricted"}
CAREFUL = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
POD_CONTEXT = {"runAsNonRoot": True, "runAsUser": 1000, "seccompProfile": {"type": "RuntimeDefault"}}


def pod(container: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    """A pod that `restricted` accepts, changed."""
    made = {"name": "c", "image": "busybox", "securityContext": CAREFUL, **(container or {})}
    return {"spec": {"securityContext": POD_CONTEXT, "containers": [made], **spec}}


def test_a_careful_pod_passes() -> None:
    volumes = [{"name": "shm", "emptyDir": {"medium": "Memory"}}]
    assert violation(pod(volumes=volumes), RESTRICTED) == ""


def test_without_a_label_everything_passes() -> None:
    assert violation(pod(hostNetwork=True), {}) == ""


def test_a_bare_pod_breaks_four_rules_in_one_message() -> None:
    bare = {"spec": {"containers": [{"name": "c", "image": "busybox"}]}}
    assert violation(bare, RESTRICTED) == (
        'violates PodSecurity "restricted:latest": '
        'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), '
        'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), '
        'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), '
        'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type '
        'to "RuntimeDefault" or "Localhost")'
    )


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        (pod(hostPID=True), "host namespaces (hostPID=true)"),
        (pod({"securityContext": {**CAREFUL, "privileged": True}}), "privileged (container"),
        (pod({"ports": [{"containerPort": 1, "hostPort": 1}]}), "hostPort (container"),
        (pod(volumes=[{"name": "v", "hostPath": {"path": "/"}}]), 'hostPath volumes (volume "v")'),
        (pod(volumes=[{"name": "v", "nfs": {}}]), "restricted volume types"),
        (pod({"securityContext": {**CAREFUL, "runAsUser": 0}}), "runAsUser=0"),
        (pod({"securityContext": {**CAREFUL, "runAsNonRoot": False}}), "runAsNonRoot != true"),
        (pod({"securityContext": {**CAREFUL, "capabilities": {"drop": ["ALL"], "add": ["IPC_LOCK"]}}}), "must not add"),
        (pod(initContainers=[{"name": "i", "image": "alpine"}]), 'container "i" must set'),
    ],
)
def test_what_restricted_refuses(changed: dict[str, Any], says: str) -> None:
    assert says in violation(changed, RESTRICTED)


def test_baseline_cares_less() -> None:
    bare = {"spec": {"containers": [{"name": "c", "image": "busybox"}]}}
    assert violation(bare, {ENFORCE_LABEL: "baseline"}) == ""
    assert "host namespaces" in violation(pod(hostIPC=True), {ENFORCE_LABEL: "baseline"})
