"""A sandbox, and the demo's tenant premium on it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from tests.factories import make_cohort_of_the_demo
from tests.flows.control import Control, running_control
from tests.flows.people import Place, make_place
from tests.jobs.factories import make_template


@pytest.fixture
def control(db: None, tmp_path: Path, settings: Settings) -> Iterator[Control]:
    with running_control(tmp_path, settings) as control:
        yield control


@pytest.fixture
def premium(control: Control) -> Place:
    make_template()
    premium, free = make_cohort_of_the_demo()
    control.apply(premium, free)
    return make_place(premium)
