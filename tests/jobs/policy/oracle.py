"""A second opinion about manifests, written from the list of threats and not from the policy's table.

It walks the whole object, whatever its shape, and names what must never reach a cluster. It shares no code with
jobs.policy and knows nothing of its paths: a key is dangerous wherever it stands.
"""

import re
from collections.abc import Iterator
from typing import Any

FORBIDDEN_KEYS = {
    # The object's own place in the cluster.
    "ownerReferences", "finalizers", "generateName", "managedFields", "status", "managedBy", "schedulingPolicy",
    "elasticPolicy", "priorityClass", "queue",
    # Out of the pod and onto the node.
    "hostNetwork", "hostPID", "hostIPC", "hostPort", "hostPath", "nodeName", "shareProcessNamespace", "volumeDevices",
    "mountPropagation", "subPath", "subPathExpr", "hostAliases", "hostname", "subdomain", "setHostnameAsFQDN",
    "procMount", "seLinuxOptions", "appArmorProfile", "sysctls", "windowsOptions", "supplementalGroups",
    # Volumes that are somebody else's.
    "nfs", "csi", "gitRepo", "projected", "secret", "configMap", "downwardAPI", "ephemeral", "image_volume", "iscsi",
    "glusterfs", "rbd", "cephfs", "fc", "flexVolume", "awsElasticBlockStore", "azureDisk", "azureFile", "local",
    # Credentials.
    "valueFrom", "envFrom", "imagePullSecrets", "serviceAccount", "serviceAccountToken",
    # Other nodes, other schedulers, other queues.
    "affinity", "tolerations", "topologySpreadConstraints", "nodeSelector", "schedulerName", "runtimeClassName",
    "priorityClassName", "preemptionPolicy", "overhead", "priority", "schedulingGates", "readinessGates",
    "resourceClaims", "claims", "resizePolicy",
    # More containers, and ways into them.
    "initContainers", "ephemeralContainers", "stdin", "tty", "lifecycle", "livenessProbe", "readinessProbe",
    "startupProbe", "add", "privileged", "dnsConfig",
}  # fmt: skip
FOREIGN_METADATA = re.compile(
    r"(provreq\.)?kueue|kubernetes\.io|k8s\.io|pod-security|istio|cni\.cncf|amazonaws|azure|cri-o|apparmor|nvidia|"
    r"training\.kubeflow|jobset"
)
ENVIRONMENT = re.compile(r"(?i)(nvidia|ld|kubernetes)_")


def violations(manifest: dict) -> list[str]:
    return [*_keys(manifest, ""), *_metadata(manifest), *_job(manifest), *_templates(manifest)]


def _walk(node: Any, path: str) -> Iterator[tuple[str, str, Any]]:
    if isinstance(node, dict):
        for key, value in node.items():
            yield path, str(key), value
            yield from _walk(value, f"{path}/{key}")
    elif isinstance(node, list):
        for value in node:
            yield from _walk(value, f"{path}/*")


def _keys(manifest: dict, path: str) -> Iterator[str]:
    for where, key, _value in _walk(manifest, path):
        if key in FORBIDDEN_KEYS:
            yield f"{where}/{key} is there"


def _metadata(manifest: dict) -> Iterator[str]:
    for where, key, value in _walk(manifest, ""):
        if key in {"labels", "annotations"} and isinstance(value, dict):
            for name in value:
                ours = where == "/metadata" and key == "labels" and name == "kueue.x-k8s.io/queue-name"
                if FOREIGN_METADATA.search(name) and not ours:
                    yield f"{where}/{key} has {name}"


def _job(manifest: dict) -> Iterator[str]:
    if (manifest.get("apiVersion"), manifest.get("kind")) != ("kubeflow.org/v1", "PyTorchJob"):
        yield "not a kind that Kueue queues"
    if "kueue.x-k8s.io/queue-name" not in manifest["metadata"].get("labels", {}):
        yield "in no queue"
    run = manifest["spec"].get("runPolicy", {})
    if run.get("suspend") is not True:
        yield "could start unadmitted"
    if not isinstance(run.get("ttlSecondsAfterFinished"), int) or run["ttlSecondsAfterFinished"] < 86_400:
        yield "may vanish before it was seen"
    for limit in ("activeDeadlineSeconds", "backoffLimit"):
        if not isinstance(run.get(limit), int) or isinstance(run[limit], bool) or run[limit] < 0:
            yield f"no {limit}"


def _templates(manifest: dict) -> Iterator[str]:
    """Every pod template in the object, wherever it hangs."""
    templates = [value for _where, key, value in _walk(manifest, "") if key == "template"]
    if not templates:
        yield "no pod"
    for template in templates:
        pod = template["spec"]
        yield from _pod(pod)
        for container in pod.get("containers", []):
            yield from _container(container)
            yield from _shared_memory(pod, container)


def _pod(pod: dict) -> Iterator[str]:
    context = pod.get("securityContext", {})
    if context.get("runAsNonRoot") is not True or not context.get("runAsUser") or not context.get("fsGroup"):
        yield "may be root"
    if context.get("seccompProfile") != {"type": "RuntimeDefault"}:
        yield "no seccomp"
    if pod.get("automountServiceAccountToken") is not False or pod.get("serviceAccountName") != "choirmaster-job":
        yield "has an account's token"
    if pod.get("enableServiceLinks") is not False or pod.get("dnsPolicy") != "ClusterFirst":
        yield "sees others' services"
    for volume in pod.get("volumes", []):
        if set(volume) - {"name"} not in ({"emptyDir"}, {"persistentVolumeClaim"}):
            yield "a volume that is neither memory nor a claim"
        if "emptyDir" in volume and not volume["emptyDir"].get("sizeLimit"):
            yield "an emptyDir without end"


def _container(container: dict) -> Iterator[str]:
    context = container.get("securityContext", {})
    capabilities = context.get("capabilities", {})
    if context.get("allowPrivilegeEscalation") is not False or set(capabilities.get("drop", [])) != {"ALL"}:
        yield "has capabilities"
    if context.get("runAsUser") == 0 or context.get("runAsNonRoot") is False or context.get("seccompProfile"):
        yield "takes back what the pod gave up"
    if container.get("imagePullPolicy") != "Always":
        yield "may run another's cached image"
    if not re.match(r"registry\.internal/[a-z]", str(container.get("image"))) or ".." in str(container["image"]):
        yield "an image from anywhere"
    yield from _resources(container)
    yield from _process(container)


def _resources(container: dict) -> Iterator[str]:
    for side in ("requests", "limits"):
        amounts = container.get("resources", {}).get(side, {})
        if not {"cpu", "memory", "ephemeral-storage"} <= set(amounts):
            yield f"{side} that Kueue cannot count"
        if not re.fullmatch(r"[1-9]\d*", str(amounts.get("nvidia.com/gpu", "1"))):
            yield "a part of a GPU"
        if set(amounts) - {"cpu", "memory", "ephemeral-storage", "nvidia.com/gpu"}:
            yield "a resource without quota"
    if container.get("resources", {}).get("requests") != container.get("resources", {}).get("limits"):
        yield "takes more than it asks for"


def _process(container: dict) -> Iterator[str]:
    for variable in container.get("env", []):
        if ENVIRONMENT.match(str(variable.get("name"))):
            yield f"sets {variable['name']}"
    if "workingDir" in container:
        yield "starts in a folder of its choice"
    for mount in container.get("volumeMounts", []):
        path = str(mount.get("mountPath"))
        if re.match(r"/*(proc|sys|var/run/secrets|run/secrets)(/|$)", path) or ".." in path.split("/"):
            yield f"mounts over {path}"


def _shared_memory(pod: dict, container: dict) -> Iterator[str]:
    sizes = {"Gi": 30, "Mi": 20, "Ti": 40}
    memory = str(container.get("resources", {}).get("limits", {}).get("memory", "0Gi"))
    total = 0
    for volume in pod.get("volumes", []):
        size = str(volume.get("emptyDir", {}).get("sizeLimit", "0Gi"))
        total += int(re.sub(r"\D", "", size) or 0) << sizes.get(size[-2:], 0)
    if total > int(re.sub(r"\D", "", memory) or 0) << sizes.get(memory[-2:], 0):
        yield "more shared memory than memory"
