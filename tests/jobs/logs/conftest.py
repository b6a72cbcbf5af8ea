"""A job of the demo on a sandbox, whose four replicas have printed something."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from jobs.models import Pod, Submission
from tests.factories import make_access, make_cohort_of_the_demo
from tests.flows.control import Control, running_control
from tests.jobs.factories import make_submission, make_template


@dataclass(frozen=True)
class Printing:
    control: Control
    submission: Submission

    def pod(self, index: int = 0) -> Pod:
        return self.submission.pods.order_by("-id").filter(index=index).first()


@pytest.fixture
def printing(transactional_db: None, tmp_path: Path, settings) -> Iterator[Printing]:
    make_template()
    with running_control(tmp_path, settings) as control:
        premium, _ = make_cohort_of_the_demo()
        control.apply(premium)
        submission = make_submission(make_access(premium))
        control.until(submission.uid, "running")
        control.pass_time(10)
        yield Printing(control, submission)
