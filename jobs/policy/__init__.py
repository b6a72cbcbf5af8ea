"""What a job's custom resource may hold. The table is data: code, tests and docs all read it."""

from jobs.policy.enforce import check, force
from jobs.policy.rule import Rule, Verdict
from jobs.policy.table import table

__all__ = ["Rule", "Verdict", "check", "force", "table"]
