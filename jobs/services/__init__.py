"""What people and programs may do with jobs: called by pages, REST and commands alike."""

from jobs.services.checking import Check, NeverFits, check_submission, dry_run
from jobs.services.submissions import cancel_submission, create_submission
from jobs.services.templates import publish_template

__all__ = [
    "Check",
    "NeverFits",
    "cancel_submission",
    "check_submission",
    "create_submission",
    "dry_run",
    "publish_template",
]
