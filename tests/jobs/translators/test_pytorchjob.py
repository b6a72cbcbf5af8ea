"""Before and after: a template with values on one side, YAML on the other; and what an operator wrote, read back."""

from datetime import UTC, datetime

import pytest
import yaml

from jobs.spec import Identity, JobSpec, check_values, render
from jobs.translators import TRANSLATORS, Progress, translator_for
from tests.jobs.factories import INPUT, demo_template

TRANSLATOR = translator_for("PyTorchJob")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def spec_of(**values: object) -> JobSpec:
    template = demo_template()
    clean, errors = check_values(template["schema"], INPUT | values, ("registry.internal/",))
    assert errors == []
    labels = {"choirmaster.dev/tenant": "premium"}
    identity = Identity("PyTorchJob", "llama3-8b-finetune-0a1b", "cm-premium", "main", labels, {"a": "b"})
    return render(template["body"], clean, identity)


def check_manifest(spec: JobSpec, expected: str) -> None:
    assert yaml.safe_dump(TRANSLATOR.manifest(spec)) == yaml.safe_dump(yaml.safe_load(expected))


def check_progress(obj: str, expected: Progress) -> None:
    assert TRANSLATOR.progress(yaml.safe_load(obj)) == expected


def condition(kind: str, status: str = "True", at: str = "2026-03-01T12:00:00Z") -> dict:
    return {
        "type": kind,
        "status": status,
        "reason": f"PyTorchJob{kind}",
        "message": f"It is {kind}.",
        "lastTransitionTime": at,
    }


def phase_of(*conditions: dict) -> str:
    return TRANSLATOR.progress({"status": {"conditions": list(conditions)}}).phase


ISSUE = """
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: llama3-8b-finetune-0a1b
  namespace: cm-premium
  labels: {choirmaster.dev/tenant: premium, kueue.x-k8s.io/queue-name: main}
  annotations: {a: b}
spec:
  runPolicy: {backoffLimit: 3, activeDeadlineSeconds: 43200}
  pytorchReplicaSpecs:
    Worker:
      replicas: 4
      restartPolicy: OnFailure
      template:
        metadata:
          labels: {choirmaster.dev/tenant: premium}
          annotations: {rehearsal.choirmaster.dev/succeed-after: "20"}
        spec:
          securityContext: {runAsUser: 1000, fsGroup: 1000}
          containers:
            - name: pytorch
              image: registry.internal/pytorch:2.3.0-cuda12.1
              command:
                - torchrun
                - --nproc_per_node=4
                - --nnodes=4
                - --rdzv_backend=c10d
                - --rdzv_endpoint=llama3-8b-finetune-0a1b-worker-0:29500
                - train.py
                - --model=meta-llama/Llama-3-8B
                - --output=/checkpoints
              ports: [{name: pytorchjob-port, containerPort: 29500, protocol: TCP}]
              resources:
                requests: {cpu: "32", memory: 256Gi, ephemeral-storage: 100Gi, nvidia.com/gpu: "4"}
                limits: {cpu: "32", memory: 256Gi, ephemeral-storage: 100Gi, nvidia.com/gpu: "4"}
              volumeMounts:
                - {name: volume-0, mountPath: /dev/shm}
                - {name: volume-1, mountPath: /data}
                - {name: volume-2, mountPath: /checkpoints}
              securityContext: {readOnlyRootFilesystem: false}
          volumes:
            - {name: volume-0, emptyDir: {medium: Memory, sizeLimit: 64Gi}}
            - {name: volume-1, persistentVolumeClaim: {claimName: training-data}}
            - {name: volume-2, persistentVolumeClaim: {claimName: checkpoint-pvc}}
"""


def test_the_issues_input() -> None:
    check_manifest(spec_of(), ISSUE)


def test_equal_specs_make_equal_manifests() -> None:
    assert TRANSLATOR.manifest(spec_of()) == TRANSLATOR.manifest(spec_of())


def test_a_finished_job_as_the_operator_left_it() -> None:
    """Conditions in the order and words that training-operator 1.9.4 with Kueue 0.19 printed."""
    check_progress(
        """
        spec: {runPolicy: {suspend: false}}
        status:
          startTime: "2026-03-01T12:00:00Z"
          completionTime: "2026-03-01T12:00:20Z"
          replicaStatuses: {Worker: {succeeded: 4, selector: x}}
          conditions:
            - {type: Created, status: "True", reason: PyTorchJobCreated, message: PyTorchJob pt-a is created.}
            - {type: Suspended, status: "False", reason: PyTorchJobResumed, message: PyTorchJob pt-a is resumed.}
            - {type: Running, status: "False", reason: PyTorchJobRunning, message: PyTorchJob team-a/pt-a is running.}
            - {type: Succeeded, status: "True", reason: PyTorchJobSucceeded,
               message: PyTorchJob team-a/pt-a successfully completed.}
        """,
        Progress(
            phase="Succeeded",
            message="PyTorchJob team-a/pt-a successfully completed.",
            suspended=False,
            succeeded=4,
            started_at=NOON,
            finished_at=NOON.replace(second=20),
        ),
    )


def test_an_end_without_completion_time_ends_with_its_condition() -> None:
    """An exit code that is never retried sets Failed and no completionTime (training-operator 1.9)."""
    progress = TRANSLATOR.progress({"status": {"conditions": [condition("Failed")]}})
    assert (progress.phase, progress.finished_at) == ("Failed", NOON)


def test_the_newest_condition_does_not_decide() -> None:
    assert phase_of(condition("Created")) == "Created"
    assert phase_of(condition("Created"), condition("Suspended")) == "Suspended"
    assert phase_of(condition("Created"), condition("Running"), condition("Suspended", "False")) == "Running"
    assert phase_of(condition("Running", "False"), condition("Restarting")) == "Restarting"
    assert phase_of(condition("Failed"), condition("Running")) == "Failed"


def test_a_suspended_object_that_nobody_looked_at_yet() -> None:
    check_progress("spec: {runPolicy: {suspend: true}}", Progress(suspended=True))


@pytest.mark.parametrize(
    "status",
    [None, [], "x", {"conditions": None}, {"conditions": ["x", None]}, {"conditions": [{"type": 3, "status": "True"}]},
     {"replicaStatuses": [1]}, {"replicaStatuses": {"Worker": 3}}, {"replicaStatuses": {"Worker": {"active": "4"}}},
     {"startTime": "yesterday", "completionTime": 7, "conditions": [{"type": "Running", "status": "False"}]}],
)  # fmt: skip
def test_a_malformed_status_is_unknown_and_no_error(status: object) -> None:
    assert TRANSLATOR.progress({"status": status}) == Progress()


def test_a_pod_tells_its_role_and_index() -> None:
    labels = {"training.kubeflow.org/replica-type": "worker", "training.kubeflow.org/replica-index": "12"}
    assert TRANSLATOR.pod_set_of({"metadata": {"labels": labels}}) == ("worker", 12)


@pytest.mark.parametrize("index", ["", "-1", "x", "²", None])
def test_a_pod_without_role_or_index_is_a_value_error(index: object) -> None:
    labels = {"training.kubeflow.org/replica-type": "worker", "training.kubeflow.org/replica-index": index}
    with pytest.raises(ValueError, match="index"):
        TRANSLATOR.pod_set_of({"metadata": {"labels": labels}})


def test_every_kind_is_found_by_its_name_and_no_other() -> None:
    assert [translator_for(translator.kind) for translator in TRANSLATORS] == list(TRANSLATORS)
    with pytest.raises(LookupError, match="knows no kind 'Deployment'; it knows PyTorchJob"):
        translator_for("Deployment")
