"""Every leaf that a PyTorchJob of ours may have. A leaf that no row covers is forbidden.

The rows hold the Pod Security Standard "restricted" (Kubernetes 1.36, pod-security-admission/policy) and what it leaves
open: whatever lets a job out of its queue, its namespace or its account.
"""

from jobs.policy.rule import (
    Rule,
    Verdict,
    amount,
    between,
    environment_name,
    matches,
    mount_path,
    one_of,
    printable,
)
from jobs.spec.render import MAX_BACKOFF, MAX_ID, MAX_REPLICAS, MAX_SECONDS, RESTART_POLICIES
from jobs.spec.text import check_claim, check_image
from portal.names import (
    ANNOTATION_SPEC_HASH,
    ANNOTATION_TITLE,
    EPHEMERAL_STORAGE,
    GPU,
    LABEL_SUBMISSION,
    LABEL_TENANT,
    LOCAL_QUEUE,
    QUEUE_LABEL,
    SERVICE_ACCOUNT,
)

ALLOW, REQUIRE, FORCE = Verdict.ALLOW, Verdict.REQUIRE, Verdict.FORCE

TTL_SECONDS = 24 * 3600
_REPLICA = ("spec", "pytorchReplicaSpecs", "~Master|Worker")
_TEMPLATE = (*_REPLICA, "template")
_POD = (*_TEMPLATE, "spec")
_CONTAINER = (*_POD, "containers", "[]")
_VOLUME = (*_POD, "volumes", "[]")

_label = matches(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", "Use a DNS label: lower case letters, digits and -.")
_uid = matches(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "Use the submission's uid.")
_job_name = matches(r"[a-z]([-a-z0-9]{0,38}[a-z0-9])?", "Use at most 40 characters, beginning with a letter.")
_whole = matches(r"[1-9][0-9]{0,3}", "Ask for whole GPUs, at least 1.")

_IDENTITY = (
    Rule(("apiVersion",), REQUIRE, "Only kinds that Kueue queues.", check=one_of("kubeflow.org/v1")),
    Rule(("kind",), REQUIRE, "Only kinds that Kueue queues.", check=one_of("PyTorchJob")),
    Rule(("metadata", "name"), REQUIRE, "Made from the submission, so that it is created once.", check=_job_name),
    Rule(("metadata", "namespace"), REQUIRE, "The tenant's own.", check=_label),
    Rule(("metadata", "labels", QUEUE_LABEL), REQUIRE, "The tenant's own queue.", check=one_of(LOCAL_QUEUE)),
    Rule(("metadata", "labels", LABEL_TENANT), REQUIRE, "Says whose it is.", check=_label),
    Rule(("metadata", "labels", LABEL_SUBMISSION), REQUIRE, "Ties it to its submission.", check=_uid),
    Rule(("metadata", "annotations", ANNOTATION_TITLE), ALLOW, "What people call it.", check=printable),
    Rule(
        ("metadata", "annotations", ANNOTATION_SPEC_HASH),
        REQUIRE,
        "Proves that it is what was checked.",
        check=matches(r"[0-9a-f]{64}", "Use the SHA-256 of the manifest."),
    ),
)
_RUN = (
    Rule(("spec", "runPolicy", "suspend"), FORCE, "Nothing starts before Kueue admits it.", True),
    Rule(("spec", "runPolicy", "cleanPodPolicy"), FORCE, "A pod's log is gone with the pod.", "None"),
    Rule(("spec", "runPolicy", "ttlSecondsAfterFinished"), FORCE, "An outage must not lose the end.", TTL_SECONDS),
    Rule(("spec", "runPolicy", "backoffLimit"), REQUIRE, "Restarts end.", check=between(0, MAX_BACKOFF)),
    Rule(("spec", "runPolicy", "activeDeadlineSeconds"), REQUIRE, "Jobs end.", check=between(60, MAX_SECONDS)),
    Rule((*_REPLICA, "replicas"), REQUIRE, "Pod names stay within 63.", check=between(1, MAX_REPLICAS)),
    Rule((*_REPLICA, "restartPolicy"), REQUIRE, "Said, not assumed.", check=one_of(*RESTART_POLICIES)),
)
_POD_RULES = (
    Rule((*_TEMPLATE, "metadata", "labels", LABEL_TENANT), REQUIRE, "Says whose it is.", check=_label),
    Rule((*_TEMPLATE, "metadata", "labels", LABEL_SUBMISSION), REQUIRE, "Ties it to its submission.", check=_uid),
    Rule(
        (*_TEMPLATE, "metadata", "annotations", r"~([a-z0-9-]+\.)+choirmaster\.dev/[A-Za-z0-9._-]{1,63}"),
        ALLOW,
        "Others' annotations steer runtimes, meshes and clouds.",
        check=printable,
    ),
    Rule((*_POD, "serviceAccountName"), FORCE, "An account without any right.", SERVICE_ACCOUNT),
    Rule((*_POD, "automountServiceAccountToken"), FORCE, "No credentials in the pod.", False),
    Rule((*_POD, "enableServiceLinks"), FORCE, "Other services' addresses stay out of the environment.", False),
    Rule((*_POD, "dnsPolicy"), FORCE, "The cluster's names only.", "ClusterFirst"),
    Rule((*_POD, "securityContext", "runAsNonRoot"), FORCE, "PSS restricted.", True),
    Rule((*_POD, "securityContext", "seccompProfile", "type"), FORCE, "PSS restricted.", "RuntimeDefault"),
    Rule((*_POD, "securityContext", "runAsUser"), REQUIRE, "Not root.", check=between(1, MAX_ID)),
    Rule((*_POD, "securityContext", "fsGroup"), REQUIRE, "Not root's group.", check=between(1, MAX_ID)),
    Rule((*_VOLUME, "name"), REQUIRE, "Mounts refer to it.", check=_label),
    Rule((*_VOLUME, "emptyDir", "medium"), ALLOW, "Shared memory.", check=one_of("Memory")),
    Rule((*_VOLUME, "emptyDir", "sizeLimit"), ALLOW, "Counted within the memory limit.", check=amount("memory")),
    Rule(
        (*_VOLUME, "persistentVolumeClaim", "claimName"),
        ALLOW,
        "A claim of the tenant's namespace.",
        check=lambda value: check_claim(value) if isinstance(value, str) else "Use text.",
    ),
)
_CONTAINER_RULES = (
    Rule((*_CONTAINER, "name"), REQUIRE, "The operator looks for this one.", check=one_of("pytorch")),
    Rule((*_CONTAINER, "imagePullPolicy"), FORCE, "A node's cache holds other tenants' images.", "Always"),
    Rule((*_CONTAINER, "command", "[]"), ALLOW, "The job's own.", check=printable),
    Rule((*_CONTAINER, "args", "[]"), ALLOW, "The job's own.", check=printable),
    Rule((*_CONTAINER, "env", "[]", "name"), ALLOW, "Not the runtime's own names.", check=environment_name),
    Rule((*_CONTAINER, "env", "[]", "value"), ALLOW, "Values only: a reference could read secrets.", check=printable),
    Rule((*_CONTAINER, "ports", "[]", "name"), ALLOW, "The rendezvous.", check=one_of("pytorchjob-port")),
    Rule((*_CONTAINER, "ports", "[]", "containerPort"), ALLOW, "The rendezvous.", check=between(1024, 65535)),
    Rule((*_CONTAINER, "ports", "[]", "protocol"), ALLOW, "The rendezvous.", check=one_of("TCP")),
    *(
        Rule((*_CONTAINER, "resources", side, resource), REQUIRE, "Kueue counts it.", check=amount(resource))
        for side in ("requests", "limits")
        for resource in ("cpu", "memory", EPHEMERAL_STORAGE)
    ),
    *(
        Rule((*_CONTAINER, "resources", side, GPU), ALLOW, "Kueue counts it.", check=_whole)
        for side in ("requests", "limits")
    ),
    Rule((*_CONTAINER, "volumeMounts", "[]", "name"), ALLOW, "One of the volumes.", check=_label),
    Rule((*_CONTAINER, "volumeMounts", "[]", "mountPath"), ALLOW, "Not the system's trees.", check=mount_path),
    Rule((*_CONTAINER, "volumeMounts", "[]", "readOnly"), ALLOW, "Less is always allowed.", check=one_of(True, False)),
    Rule((*_CONTAINER, "securityContext", "allowPrivilegeEscalation"), FORCE, "PSS restricted.", False),
    Rule((*_CONTAINER, "securityContext", "capabilities", "drop", "[]"), FORCE, "PSS restricted.", "ALL"),
    Rule(
        (*_CONTAINER, "securityContext", "readOnlyRootFilesystem"),
        REQUIRE,
        "Read-only unless the template says otherwise.",
        check=one_of(True, False),
    ),
)


def table(image_prefixes: tuple[str, ...]) -> tuple[Rule, ...]:
    """All rows. `image_prefixes`: where images may come from (settings.IMAGE_PREFIXES)."""
    image = Rule(
        (*_CONTAINER, "image"),
        REQUIRE,
        "From an allowed registry, with a tag or digest.",
        check=lambda value: check_image(value, image_prefixes) if isinstance(value, str) else "Use text.",
    )
    return (*_IDENTITY, *_RUN, *_POD_RULES, image, *_CONTAINER_RULES)
