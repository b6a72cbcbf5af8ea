"""Templates and submissions for tests. The template is the demo's: what the demo shows is what tests drive."""

from copy import deepcopy
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import yaml

from jobs.models import Submission, TemplateVersion
from jobs.services import create_submission, publish_template
from tenants.access import Access
from tenants.models import Tenant
from tests.factories import make_access, make_queue, make_tenant

DEMO_TEMPLATE = Path(__file__).parents[2] / "portal/management/onboarding/demo_template.yaml"
# The input of the first issue; everything else is the form's default.
INPUT = {"model": "meta-llama/Llama-3-8B"}
NAMESPACE_UID = "5b1f2ad0-6f0e-4c0b-9e0e-1d2c3b4a5f60"
_numbers = count(1)


def demo_template() -> dict[str, Any]:
    return deepcopy(_parsed())


@cache
def _parsed() -> dict[str, Any]:
    return yaml.safe_load(DEMO_TEMPLATE.read_text())


def make_template(**changes: object) -> TemplateVersion:
    """The demo's template, published; `changes` replace its parts (slug, schema, body …)."""
    return publish_template(**demo_template() | changes)


def make_submitter(slug: str = "", gpus: int = 32, borrowing: int | None = 16) -> Access:
    """A submitter of a new tenant with a queue and the demo's template at hand."""
    tenant = make_tenant(slug)
    Tenant.objects.filter(pk=tenant.pk).update(namespace_uid=NAMESPACE_UID)
    tenant.refresh_from_db()
    make_queue(tenant.slug, gpus=gpus, borrowing=borrowing, tenant=tenant)
    make_queue(f"{tenant.slug}-reserve", gpus=16)
    make_template()
    return make_access(tenant)


def make_submission(access: Access | None = None, *, title: str = "", **values: object) -> Submission:
    """As `access` submits it, or a submitter of a new tenant. `values` change the form of the issue's input."""
    submission, _created = create_submission(
        access=access or make_submitter(),
        template_slug="pytorch-ddp",
        title=title or f"job {next(_numbers)}",
        values=INPUT | values,
    )
    return submission
