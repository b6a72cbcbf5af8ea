"""What runs. Every row that belongs to a tenant can be narrowed by `.visible_to(user)` and `.of(tenant)`."""

from jobs.models.attempt import Attempt
from jobs.models.event import Event
from jobs.models.heartbeat import Heartbeat
from jobs.models.pod import Pod
from jobs.models.submission import IdempotencyKey, StateChange, Submission
from jobs.models.template import Template, TemplateVersion
from jobs.models.workload import Workload

__all__ = [
    "Attempt",
    "Event",
    "Heartbeat",
    "IdempotencyKey",
    "Pod",
    "StateChange",
    "Submission",
    "Template",
    "TemplateVersion",
    "Workload",
]
