from copy import deepcopy

import pytest
from django.db import DatabaseError, transaction

from jobs.models import Template, TemplateVersion
from jobs.spec import ordered_properties
from portal.errors import Invalid
from tenants.models import AuditEntry
from tests.factories import make_tenant
from tests.jobs.factories import demo_template, make_template

pytestmark = pytest.mark.django_db


def refused(**changes: object) -> dict[str, str]:
    with pytest.raises(Invalid) as raised:
        make_template(**changes)
    assert not TemplateVersion.objects.exists()
    return {error.path: error.message for error in raised.value.errors}


def body_with(**changes: object) -> dict:
    body = deepcopy(demo_template()["body"])
    body["pod_sets"][0].update(changes)
    return body


def test_a_template_is_published_once() -> None:
    first, again = make_template(), make_template()
    assert (first.pk, first.number) == (again.pk, 1)
    assert AuditEntry.objects.filter(verb="template.publish").count() == 1


def test_a_change_is_a_new_version_and_words_about_it_are_not() -> None:
    make_template()
    assert make_template(name="Renamed", description="Other words").number == 1
    assert Template.objects.get().name == "Renamed"
    changed = make_template(body=demo_template()["body"] | {"backoff_limit": 1})
    assert changed.number == 2
    assert Template.objects.get().current() == changed


def test_the_order_of_the_form_is_kept() -> None:
    schema = demo_template()["schema"]
    names = schema.pop("x-order")
    schema["properties"] = {name: schema["properties"][name] for name in names}
    version = make_template(schema=schema)
    version.refresh_from_db()
    assert list(ordered_properties(version.schema)) == names


@pytest.mark.parametrize("change", [{"kind": "Job"}, {"number": 7}, {"body": {}}])
def test_a_version_is_never_changed(change: dict[str, object]) -> None:
    version = make_template()
    with pytest.raises(DatabaseError, match="never changed or deleted"), transaction.atomic():
        TemplateVersion.objects.filter(pk=version.pk).update(**change)
    with pytest.raises(DatabaseError, match="never changed or deleted"), transaction.atomic():
        version.delete()


@pytest.mark.parametrize("slug", ["", "Upper", "new", "-x", "x" * 31, "a b"])
def test_a_slug_has_a_form(slug: str) -> None:
    assert list(refused(slug=slug)) == ["slug"]


def test_a_slug_belongs_to_one_tenant() -> None:
    make_template(slug="theirs", tenant=make_tenant())
    with pytest.raises(Invalid, match="Another tenant has a template of this name"):
        make_template(slug="theirs")


def test_an_unknown_kind() -> None:
    assert "it knows PyTorchJob" in refused(kind="Deployment")["kind"]


@pytest.mark.parametrize("schema", [{}, [], None, {"type": "object"}, {"type": "object", "properties": {"A": {}}}])
def test_a_form_that_is_none(schema: object) -> None:
    assert all(path.startswith("schema") for path in refused(schema=schema))


@pytest.mark.parametrize("body", [{}, [], None, "x", {"pod_sets": 3}])
def test_a_body_that_is_none(body: object) -> None:
    assert set(refused(body=body)) <= {"template", "body"}


def test_a_placeholder_of_no_field() -> None:
    assert list(refused(body=body_with(image={"$value": "img"}))) == ["body.pod_sets.0.image"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"env": {"LD_PRELOAD": "x"}}, "LD_PRELOAD is not for jobs to set"),
        ({"image": "evil.example/x:1"}, "Choose an image from registry.internal/"),
        ({"annotations": {"sidecar.istio.io/inject": "true"}}, "is not allowed in a job"),
        ({"volumes": [{"mount_path": "/proc", "memory": "1Gi"}]}, "Mount elsewhere"),
        ({"role": "Launcher"}, "is not allowed in a job"),
    ],
)
def test_a_template_that_the_policy_refuses_is_not_published(changes: dict[str, object], words: str) -> None:
    assert words in refused(body=body_with(**changes))["template"]
