"""The training operator's control loop: one reconciliation of a PyTorchJob, in the operator's own order.

Source: training-operator 1.9.4, pkg/controller.v1/common/{job,pod}.go and pytorch/pytorchjob_controller.go.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sandbox import admission
from sandbox.clock import parse
from sandbox.errors import StatusError
from sandbox.podstatus import ENDED
from sandbox.records import Record
from sandbox.store import Store
from sandbox.training import observed, replicas, status
from sandbox.training.replicas import JOBS, Replica, restart_policy

MANAGER = "training-operator"
COMPONENT = "pytorchjob-controller"
_FIRST_RETRY_SECONDS, _LONGEST_RETRY_SECONDS = 5, 300
_CENTURY_SECONDS = 100 * 365 * 24 * 3600

Key = tuple[str, str]
Object = dict[str, Any]


class Patience:
    """When a job whose pods were refused may try again: 5 s after the first refusal, twice as long after each next."""

    def __init__(self) -> None:
        self.refusals = 0
        self.until: datetime | None = None

    def waits(self, now: datetime) -> bool:
        return self.until is not None and now < self.until

    def refused(self, now: datetime) -> None:
        """Count a refusal; all those of one turn count once."""
        seconds = min(_FIRST_RETRY_SECONDS << min(self.refusals, 10), _LONGEST_RETRY_SECONDS)
        self.refusals += 1
        self.until = now + timedelta(seconds=seconds)


class TrainingOperator:
    """Reconciles the PyTorchJobs of one store; `reconcile` returns when to look at the job again by itself."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._patience: dict[Key, Patience] = {}

    def reconcile(self, key: Key) -> datetime | None:
        """Bring one job a step nearer to its spec."""
        job = self._store.get(JOBS, *key)
        if job is None or job["metadata"].get("deletionTimestamp") or not _is_ours(job):
            self._patience.pop(key, None)
            return None
        now, patience = self._store.clock.now(), self._patience.setdefault(key, Patience())
        turn = Turn(self._store, job, hold_back=patience.waits(now))
        turn.run()
        if turn.job_exists:
            self._store.update_status(JOBS, job, manager=MANAGER)
        if turn.refused:
            patience.refused(now)
        elif not turn.incomplete:
            self._patience.pop(key, None)
        moments = [moment for moment in (turn.due, patience.until if turn.incomplete else None) if moment]
        return min(moments, default=None)


def _is_ours(job: Mapping[str, Any]) -> bool:
    policy = job["spec"].get("runPolicy") or {}
    return policy.get("managedBy") in {None, "", "kubeflow.org/training-operator"}


class Turn:
    """One reconciliation of one job. `job` is a copy whose status is changed in place and saved by the caller.

    With `hold_back` nothing is created. Afterwards `refused` says that something was not accepted, `incomplete` that
    something is missing for now, `due` when the job's own clock strikes.
    """

    def __init__(self, store: Store, job: Object, *, hold_back: bool) -> None:
        self._store = store
        self._job = job
        self._hold_back = hold_back
        self._policy: Mapping[str, Any] = job["spec"].get("runPolicy") or {}
        self._status: Object = job.setdefault("status", {})
        self._name: str = job["metadata"]["name"]
        self._at = store.clock.stamp()
        self._owned = store.owned_by(job["metadata"]["uid"])
        self.due: datetime | None = None
        self.refused = self.incomplete = False
        self.job_exists = True

    def run(self) -> None:
        """Do what the job's state asks for: clean up, suspend, fail, or make its pods and count them."""
        status.put(self._status, "Created", True, "Created", f"PyTorchJob {self._name} is created.", at=self._at)
        if status.has(self._status, "Succeeded") or status.has(self._status, "Failed"):
            self._finished()
        elif self._policy.get("suspend"):
            self._suspend()
        else:
            self._resume()
            why = self._exhausted()
            if why:
                self._fail(why)
            else:
                self._run_replicas()

    def _pods(self) -> list[Record]:
        return [record for record in self._owned if record.resource == "pods"]

    # Ends

    def _finished(self) -> None:
        policy = self._policy.get("cleanPodPolicy") or "None"
        for record in self._pods():
            unfinished = record.obj["status"].get("phase") in {"Running", "Pending"}
            if policy == "All" or (policy == "Running" and unfinished):
                self._delete(record)
        if status.has(self._status, "Succeeded"):
            status.count_active_as_succeeded(self._status)
        ttl, completed = self._policy.get("ttlSecondsAfterFinished"), self._status.get("completionTime")
        if ttl is None or completed is None:
            return
        self.due = _after(completed, ttl)
        if self.due <= self._store.clock.now():
            self._store.delete(JOBS, self._job["metadata"]["namespace"], self._name)
            self.job_exists = False

    def _suspend(self) -> None:
        for record in self._pods():
            self._delete(record)
        for counters in (self._status.get("replicaStatuses") or {}).values():
            counters.pop("active", None)
        message = f"PyTorchJob {self._name} is suspended."
        if status.has(self._status, "Running"):
            status.put(self._status, "Running", False, "Suspended", message, at=self._at)
        if status.put(self._status, "Suspended", True, "Suspended", message, at=self._at):
            self._announce("PyTorchJobSuspended", message)

    def _resume(self) -> None:
        if status.has(self._status, "Suspended"):
            message = f"PyTorchJob {self._name} is resumed."
            status.put(self._status, "Suspended", False, "Resumed", message, at=self._at)
            self._status["startTime"] = self._at
            self._announce("PyTorchJobResumed", message)
        self._status.setdefault("startTime", self._at)

    def _exhausted(self) -> str:
        """Return why the job may not go on: its restarts or its time are used up; else an empty text."""
        if self._past_backoff_limit():
            return f"Job {self._name} has failed because it has reached the specified backoff limit"
        seconds = self._policy.get("activeDeadlineSeconds")
        if seconds is not None:
            self.due = _after(self._status["startTime"], seconds)
            if self.due <= self._store.clock.now():
                return f"Job {self._name} has failed because it was active longer than specified deadline"
        return ""

    def _past_backoff_limit(self) -> bool:
        limit = self._policy.get("backoffLimit")
        if limit is None:
            return False
        specs = self._job["spec"]["pytorchReplicaSpecs"]
        roles = {role.lower() for role, spec in specs.items() if restart_policy(spec) != "Never"}
        restarts = sum(observed.restarts(item.obj) for item in self._pods() if observed.role(item) in roles)
        failed = sum(item.obj["status"].get("phase") == "Failed" for item in self._pods())
        known = sum(item.get("failed", 0) for item in (self._status.get("replicaStatuses") or {}).values())
        if limit == 0:
            return restarts > 0 or failed > known
        return bool(restarts >= limit)

    def _fail(self, message: str) -> None:
        self._status.setdefault("completionTime", self._at)
        self._announce("PyTorchJobFailed", message)
        status.put(self._status, "Failed", True, "Failed", message, at=self._at)
        self.due = None
        self._finished()

    # Life

    def _run_replicas(self) -> None:
        self._report_abnormal_pods()
        wanted = {replica.name: replica for replica in replicas.replicas(self._job)}
        pods = {record.name: record for record in self._pods()}
        services = {record.name for record in self._owned if record.resource == "services"}
        for name in pods.keys() - wanted.keys():
            self._delete(pods[name])
        for name, replica in wanted.items():
            if name not in pods:
                self._create("pods", replicas.pod(replica), "Pod")
                self._warn_of_restart_policy(replica)
            else:
                self._look_at(replica, pods[name])
            if name not in services:
                self._create("services", replicas.service(replica), "Service")
        for role in replicas.ROLES:
            if role in self._job["spec"]["pytorchReplicaSpecs"]:
                mine = [
                    item.obj for item in pods.values() if observed.role(item) == role.lower() and item.name in wanted
                ]
                self._conclude(role, mine)

    def _report_abnormal_pods(self) -> None:
        """Repeat on the job what keeps its pods from running."""
        for record in self._pods():
            if record.obj["status"].get("phase") in ENDED or record.terminating:
                continue
            for reason, message in observed.abnormalities(record.obj):
                self._announce(reason, f"Error pod {record.name} {message}"[:1024], warning=True)

    def _create(self, resource: str, obj: Object, kind: str) -> None:
        name = obj["metadata"]["name"]
        if self._hold_back:
            self.incomplete = True
            return
        try:
            admission.validate(self._store, resource, obj, None)
            self._store.create(resource, obj, manager=MANAGER)
        except StatusError as error:
            self.refused = self.incomplete = True
            self._announce(f"FailedCreate{kind}", f"Error creating: {error.message}", warning=True)
        else:
            self._announce(f"SuccessfulCreate{kind}", f"Created {kind.lower()}: {name}")

    def _warn_of_restart_policy(self, replica: Replica) -> None:
        if replica.spec["template"]["spec"].get("restartPolicy"):
            message = "Restart policy in pod template will be overwritten by restart policy in replica spec"
            self._announce("SetPodTemplateRestartPolicy", message, warning=True)

    def _delete(self, record: Record) -> None:
        if record.terminating:
            return
        self._store.delete("pods", record.namespace, record.name, uid=record.uid)
        self._announce("SuccessfulDeletePod", f"Deleted pod: {record.name}")
        if self._store.peek("services", record.namespace, record.name):
            self._store.delete("services", record.namespace, record.name)
            self._announce("SuccessfulDeleteService", f"Deleted service: {record.name}")

    def _look_at(self, replica: Replica, record: Record) -> None:
        """Replace a pod that failed where its restart policy allows it, else fail the job."""
        code, failed = observed.exit_code(record.obj), record.obj["status"].get("phase") == "Failed"
        if not failed or record.terminating:
            return
        if code is not None:
            self._announce("ExitedWithCode", f"Pod: {record.namespace}.{record.name} exited with code {code}")
        policy = restart_policy(replica.spec)
        if policy in {"OnFailure", "Always"} or (policy == "ExitCode" and (code or 0) >= 128):
            self._store.delete("pods", record.namespace, record.name, uid=record.uid)
            self._announce("SuccessfulDeletePod", f"Deleted pod: {record.name}")
            message = f"job {self._name} is restarting because {replica.role} replica(s) failed."
            self._announce("PyTorchJobRestarting", message, warning=True)
            status.put(self._status, "Restarting", True, "Restarting", message, at=self._at)
        elif policy == "ExitCode":
            message = f'job "{self._name}" is failing because "{replica.role}" replica(s) failed.'
            self._announce("PyTorchJobFailed", message, warning=True)
            status.put(self._status, "Failed", True, "Failed", message, at=self._at)

    def _conclude(self, role: str, pods: Sequence[Mapping[str, Any]]) -> None:
        """Count the pods of a role, and draw the conclusion for the whole job."""
        spec = self._job["spec"]["pytorchReplicaSpecs"][role]
        numbers = status.count(self._status, role, list(pods), replicas.selector(self._job, role))
        expected = spec.get("replicas", 1) - numbers["succeeded"]
        with_master = "Master" in self._job["spec"]["pytorchReplicaSpecs"]
        elastic = bool(self._job["spec"].get("elasticPolicy"))
        if not with_master or role == "Master":
            if expected == 0 or (elastic and not with_master and numbers["succeeded"]):
                self._succeed(with_master)
                return
            if numbers["active"]:
                subject = self._name if with_master else self._full_name
                message = f"PyTorchJob {subject} is running."
                status.put(self._status, "Running", True, "Running", message, at=self._at)
        if numbers["failed"] and expected > numbers["active"]:
            self._failed_replicas(role, numbers["failed"], restart_policy(spec))

    def _failed_replicas(self, role: str, failed: int, policy: str) -> None:
        if status.has(self._status, "Failed"):
            return
        if policy == "Never":
            message = f"PyTorchJob {self._name} is failed because {failed} {role} replica(s) failed."
            self._status.setdefault("completionTime", self._at)
            self._announce("PyTorchJobFailed", message)
            status.put(self._status, "Failed", True, "Failed", message, at=self._at)
        else:
            message = f"PyTorchJob {self._name} is restarting because {failed} {role} replica(s) failed."
            self._announce("PyTorchJobRestarting", message, warning=True)
            status.put(self._status, "Restarting", True, "Restarting", message, at=self._at)

    def _succeed(self, with_master: bool) -> None:
        if status.has(self._status, "Failed"):
            return
        subject = f"{self._name} is" if with_master else self._full_name
        message = f"PyTorchJob {subject} successfully completed."
        self._announce("PyTorchJobSucceeded", message)
        self._status.setdefault("completionTime", self._at)
        status.put(self._status, "Succeeded", True, "Succeeded", message, at=self._at)

    @property
    def _full_name(self) -> str:
        return f"{self._job['metadata']['namespace']}/{self._name}"

    def _announce(self, reason: str, message: str, *, warning: bool = False) -> None:
        kind = "Warning" if warning else "Normal"
        self._store.record_event(self._job, type=kind, reason=reason, message=message, component=COMPONENT)


def _after(start: str, seconds: int) -> datetime:
    """Return the moment so many seconds after `start`; numbers beyond a century count as one."""
    return parse(start) + timedelta(seconds=max(-_CENTURY_SECONDS, min(seconds, _CENTURY_SECONDS)))
