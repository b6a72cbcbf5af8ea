"""The admission webhooks and plug-ins of the cluster: Kueue's, the training operator's, Pod Security, ServiceAccounts.

Sources: Kueue 0.19, pkg/controller/jobframework/{defaults,validation}.go and pkg/webhooks; training-operator 1.9.4,
pkg/webhooks/pytorch/pytorchjob_webhook.go; Kubernetes 1.36, plugin/pkg/admission/serviceaccount.
"""

import re
from collections.abc import Mapping
from typing import Any

from sandbox import errors, podsecurity
from sandbox.kueue.jobs import suspended
from sandbox.kueue.queues import LOCAL_QUEUES
from sandbox.kueue.workloads import PRIORITY_LABEL, QUEUE_LABEL, WORKLOADS
from sandbox.store import Store
from sandbox.training.replicas import CONTAINER, JOBS, ROLES

_DNS_1035 = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
_MANAGERS = ("kueue.x-k8s.io/multikueue", "kubeflow.org/training-operator")
_OPERATOR_WEBHOOK = "validator.pytorchjob.training-operator.kubeflow.org"

Object = Mapping[str, Any]
Cause = dict[str, str]


def mutate(store: Store, resource: str, obj: dict[str, Any], operation: str) -> None:
    """Change `obj` in place as Kueue's mutating webhook does; `operation` is CREATE or UPDATE.

    A new PyTorchJob without a queue goes to the LocalQueue `default` if its namespace has one; with a queue it is
    created suspended whatever it says. This runs before the schema is checked: no field is sure to have its type.
    """
    if resource != JOBS or operation != "CREATE" or not isinstance(obj.get("spec"), dict):
        return
    meta = obj["metadata"]
    labels = meta.get("labels") or {}
    if not isinstance(labels, dict):
        return
    if QUEUE_LABEL not in labels and store.peek(LOCAL_QUEUES, meta.get("namespace", ""), "default"):
        labels = meta["labels"] = {**labels, QUEUE_LABEL: "default"}
    if labels.get(QUEUE_LABEL):
        policy = obj["spec"].get("runPolicy") or {}
        obj["spec"]["runPolicy"] = {**policy, "suspend": True} if isinstance(policy, dict) else policy


def validate(store: Store, resource: str, obj: dict[str, Any], old: dict[str, Any] | None) -> None:
    """Raise StatusError 403 when a validating webhook or plug-in denies `obj`; `old` is None on create."""
    if resource == "pods" and old is None:
        _check_pod(store, obj)
    elif resource == JOBS:
        _deny(_OPERATOR_WEBHOOK, _job_causes(obj))
        _deny("vpytorchjob.kb.io", _queue_causes(obj, old))
    elif resource == WORKLOADS and old is not None:
        _deny("vworkload.kb.io", _workload_causes(obj, old))


def _deny(webhook: str, causes: list[Cause]) -> None:
    """Refuse as Go's validating webhooks do: 403, every cause in one sentence, no details."""
    sentences = [f"{cause['field']}: {cause['message']}" for cause in causes]
    if sentences:
        text = sentences[0] if len(sentences) == 1 else f"[{', '.join(sentences)}]"
        message = f'admission webhook "{webhook}" denied the request: {text}'
        raise errors.StatusError(403, "Forbidden", message)


def _invalid(field: str, value: Any, why: str) -> Cause:
    shown = f'"{value}"' if isinstance(value, str) else value
    return errors.cause("FieldValueInvalid", f"Invalid value: {shown}: {why}", field)


def _required(field: str, why: str) -> Cause:
    return errors.cause("FieldValueRequired", f"Required value: {why}", field)


def _check_pod(store: Store, pod: Object) -> None:
    meta, account = pod["metadata"], pod["spec"].get("serviceAccountName") or "default"
    namespace = meta.get("namespace", "")
    if store.peek("serviceaccounts", namespace, account) is None:
        why = f'error looking up service account {namespace}/{account}: serviceaccount "{account}" not found'
        raise errors.forbidden("pods", meta["name"], why)
    record = store.peek("namespaces", "", namespace)
    why = podsecurity.violation(pod, record.labels if record else {})
    if why:
        raise errors.forbidden("pods", meta["name"], why)


def _job_causes(job: Object) -> list[Cause]:
    """The training operator's rules for a PyTorchJob."""
    name, spec = job["metadata"]["name"], job.get("spec") or {}
    causes = []
    if not _DNS_1035.fullmatch(name):
        why = (
            "should match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', "
            "start with an alphabetic character, and end with an alphanumeric character "
            "(e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
        )
        causes.append(_invalid("metadata.name", name, why))
    manager = (spec.get("runPolicy") or {}).get("managedBy")
    if manager and manager not in _MANAGERS:
        supported = ", ".join(f'"{item}"' for item in _MANAGERS)
        text = f'Unsupported value: "{manager}": supported values: {supported}'
        causes.append(errors.cause("FieldValueNotSupported", text, "spec.runPolicy.managedBy"))
    specs = spec.get("pytorchReplicaSpecs")
    if not specs:
        return [*causes, _required("spec.pytorchReplicaSpecs", "must be specified")]
    if spec.get("elasticPolicy") and "Worker" not in specs:
        causes.append(_required("spec.pytorchReplicaSpecs[Worker]", "must be configured if elastic policy is used"))
    for role, replica in specs.items():
        causes += _replica_causes(role, replica or {}, f"spec.pytorchReplicaSpecs[{role}]")
    return causes


def _replica_causes(role: str, replica: Object, field: str) -> list[Cause]:
    if role not in ROLES:
        supported = ", ".join(f'"{item}"' for item in ROLES)
        text = f'Unsupported value: "{role}": supported values: {supported}'
        return [errors.cause("FieldValueNotSupported", text, field)]
    causes, replicas = [], replica.get("replicas")
    if role == "Master" and replicas != 1:
        causes.append(errors.cause("FieldValueForbidden", "Forbidden: must be 1", f"{field}.replicas"))
    elif replicas is not None and replicas < 1:
        causes.append(errors.cause("FieldValueForbidden", "Forbidden: must be at least 1", f"{field}.replicas"))
    containers = ((replica.get("template") or {}).get("spec") or {}).get("containers") or []
    field = f"{field}.template.spec.containers"
    if not containers:
        return [*causes, _required(field, "must be specified")]
    for number, container in enumerate(containers):
        if not container.get("image"):
            causes.append(_required(f"{field}[{number}].image", "must be required"))
    if all(container.get("name") != CONTAINER for container in containers):
        causes.append(_required(field, f"must have at least one container with name {CONTAINER}"))
    return causes


def _queue_causes(job: Object, old: Object | None) -> list[Cause]:
    """Kueue's rule that a running job stays in its queue and keeps its priority class label."""
    if old is None or suspended(job):
        return []
    labels, before = job["metadata"].get("labels") or {}, old["metadata"].get("labels") or {}
    causes = []
    if not suspended(old) and labels.get(QUEUE_LABEL) != before.get(QUEUE_LABEL):
        field = f"metadata.labels[{QUEUE_LABEL}]"
        causes.append(_invalid(field, labels.get(QUEUE_LABEL, ""), "field is immutable"))
    if not suspended(old) and (PRIORITY_LABEL in labels) != (PRIORITY_LABEL in before):
        field = f"metadata.labels[{PRIORITY_LABEL}]"
        causes.append(_invalid(field, labels.get(PRIORITY_LABEL, ""), "field is immutable"))
    return causes


def _workload_causes(workload: Object, old: Object) -> list[Cause]:
    """Kueue's rule that a Workload which holds quota keeps its shape and its queue."""
    if not (old.get("status") or {}).get("admission"):
        return []
    fields = ("podSets", "queueName")
    spec, before = workload.get("spec") or {}, old.get("spec") or {}
    return [_invalid(f"spec.{name}", "", "field is immutable") for name in fields if spec.get(name) != before.get(name)]
