import pytest
from django.utils import timezone

from jobs.models import Submission
from tests.jobs.factories import make_submission


@pytest.fixture
def submission(db: None) -> Submission:
    """Sent, and not seen yet. Its object has the uid "job-uid"."""
    submission = make_submission(title="train")
    submission.sent_at, submission.object_uid = timezone.now(), "job-uid"
    submission.save(update_fields=["sent_at", "object_uid"])
    return submission
