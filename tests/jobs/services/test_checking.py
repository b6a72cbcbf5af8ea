import pytest

from jobs.services import check_submission
from portal.errors import FieldError, Forbidden, Invalid, PortalError
from portal.names import ANNOTATION_SPEC_HASH, LABEL_SUBMISSION
from tenants.access import Access
from tenants.models import Role
from tests.factories import make_access, make_cohort_of_the_demo, make_queue, make_tenant
from tests.jobs.factories import INPUT, demo_template, make_submitter, make_template

pytestmark = pytest.mark.django_db


def check(access: Access, title: object = "llama3-8b-finetune", **values: object):
    return check_submission(
        access=access, template_slug="pytorch-ddp", version=None, title=title, values=INPUT | values
    )


def errors(access: Access, **asked: object) -> dict[str, str]:
    form = {"template_slug": "pytorch-ddp", "title": "llama", "values": INPUT} | asked
    with pytest.raises(Invalid) as raised:
        check_submission(access=access, **form)
    return {error.path: error.message for error in raised.value.errors}


@pytest.fixture
def submitter() -> Access:
    return make_submitter("premium")


def test_a_check_holds_what_would_be_sent(submitter: Access) -> None:
    found = check(submitter)
    metadata = found.manifest["metadata"]
    assert metadata["name"].startswith("llama3-8b-finetune-") and len(metadata["name"]) <= 40
    assert metadata["namespace"] == "cm-premium"
    assert metadata["labels"][LABEL_SUBMISSION] == str(found.uid)
    assert metadata["annotations"][ANNOTATION_SPEC_HASH] == found.spec_hash
    assert found.manifest["spec"]["runPolicy"]["suspend"] is True
    assert (found.gpus, found.replicas, found.values["memory"]) == (16, 4, "256Gi")


def test_the_endpoint_is_worker_zero_of_the_job_itself(submitter: Access) -> None:
    found = check(submitter)
    command = found.spec.pod_sets[0].command
    assert f"--rdzv_endpoint={found.spec.name}-worker-0:29500" in command


def test_every_error_is_told_at_once_by_its_field(submitter: Access) -> None:
    found = errors(submitter, title="x" * 300, values=INPUT | {"workers": 0, "image": "evil/x:1", "nodes": 3})
    assert set(found) == {"name", "values.workers", "values.image", "values.nodes"}


@pytest.mark.parametrize("title", [None, 7, [], "", "a\x00", "x" * 64])
def test_a_bad_name_is_told_by_its_field(submitter: Access, title: object) -> None:
    assert list(errors(submitter, title=title)) == ["name"]


def test_shared_memory_beyond_memory_is_told_by_its_field(submitter: Access) -> None:
    assert errors(submitter, values=INPUT | {"shared_memory": "300Gi"}) == {
        "values.shared_memory": "Shared memory counts within the memory of a replica: use at most 256Gi."
    }


@pytest.mark.parametrize("slug", ["nothing", "Bad Slug", "", None, 3, ["pytorch-ddp"], "x\x00"])
def test_an_unknown_template(submitter: Access, slug: object) -> None:
    assert list(errors(submitter, template_slug=slug)) == ["template"]


@pytest.mark.parametrize("version", [0, 2, -1, 10**20])
def test_an_unknown_version_is_answered_with_the_newest(submitter: Access, version: int) -> None:
    assert errors(submitter, version=version) == {"version": "Choose a version from 1 to 1, or leave it out."}


def test_an_older_version_still_renders(submitter: Access) -> None:
    changed = demo_template()
    changed["schema"]["properties"]["workers"]["default"] = 2
    make_template(schema=changed["schema"])
    values = {"access": submitter, "template_slug": "pytorch-ddp", "title": "x", "values": INPUT}
    assert check_submission(**values).replicas == 2
    assert check_submission(**values, version=1).replicas == 4


def test_another_tenants_template_is_not_there(submitter: Access) -> None:
    make_template(slug="theirs", tenant=make_tenant())
    assert list(errors(submitter, template_slug="theirs")) == ["template"]


def test_what_never_fits_is_refused_with_the_numbers() -> None:
    premium, free = make_cohort_of_the_demo()
    make_template()
    with pytest.raises(Invalid) as raised:
        check(make_access(free))
    assert raised.value.errors == (FieldError("values.workers", "Asks for 16 GPUs; free can reach at most 4 GPUs."),)
    assert check(make_access(premium), workers=6, gpus_per_worker=8).gpus == 48
    with pytest.raises(Invalid, match="Asks for 56 GPUs; premium can reach at most 48 GPUs"):
        check(make_access(premium), workers=7, gpus_per_worker=8)


def test_a_resource_that_never_fits_leads_to_its_own_field() -> None:
    access = make_submitter("small")
    with pytest.raises(Invalid) as raised:
        check(
            access, workers=64, gpus_per_worker=1, cpu=192, memory="1Gi", shared_memory="1Gi", ephemeral_storage="1Gi"
        )
    assert [error.path for error in raised.value.errors] == ["values.workers"]
    with pytest.raises(Invalid) as raised:
        check(access, workers=16, gpus_per_worker=1, cpu=192)
    assert [error.path for error in raised.value.errors] == ["values.cpu"]


def test_what_is_full_is_fine_it_will_queue(submitter: Access) -> None:
    assert check(submitter, workers=4, gpus_per_worker=8).fit.ok


def test_a_viewer_is_told_which_role_is_missing(submitter: Access) -> None:
    with pytest.raises(Forbidden, match="Only a submitter or owner of premium"):
        check(make_access(submitter.tenant, Role.VIEWER))


def test_a_tenant_without_a_queue(submitter: Access) -> None:
    access = make_access(make_tenant("queueless"))
    with pytest.raises(PortalError) as raised:
        check(access)
    assert raised.value.code == "no_queue"


def test_images_come_from_where_the_settings_say(submitter: Access, settings) -> None:
    settings.IMAGE_PREFIXES = ["ghcr.io/team/", "registry.internal/pytorch"]
    assert check(submitter).replicas == 4
    found = errors(submitter, values=INPUT | {"image": "registry.internal/other:1"})
    assert found == {"values.image": "Choose an image from ghcr.io/team/, registry.internal/pytorch."}


def test_a_queue_of_another_flavor_can_never_run_it() -> None:
    tenant = make_tenant("h100s")
    make_template(slug="for-h100", body=demo_template()["body"] | {"flavor": "h100"})
    make_queue("h100s", gpus=8, tenant=tenant)
    with pytest.raises(Invalid, match="at most 0 GPUs"):
        check_submission(access=make_access(tenant), template_slug="for-h100", title="x", values=INPUT)
