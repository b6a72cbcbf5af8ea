import pytest

from sandbox.errors import StatusError
from sandbox.records import Record
from sandbox.selectors import matcher

POD = {
    "metadata": {"name": "p", "namespace": "a", "labels": {"app": "x", "team.dev/tier": "gold"}},
    "spec": {"nodeName": "n1"},
    "status": {"phase": "Running"},
}


def matches(labels="", fields="", resource="pods", obj=POD):
    return matcher(resource, labels, fields)(Record(resource, "a", "p", 1, obj, ""))


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("", True),
        ("app=x", True),
        ("app==x,team.dev/tier=gold", True),
        ("app=y", False),
        ("app!=y", True),
        ("missing!=y", True),
        ("app in (x, z)", True),
        ("app in (y,z),team.dev/tier", False),
        ("app notin (y,z)", True),
        ("team.dev/tier", True),
        ("!team.dev/tier", False),
        ("!missing", True),
    ],
)
def test_label_selectors(selector, expected):
    assert matches(selector) is expected


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("metadata.name=p", True),
        ("metadata.name=q", False),
        ("metadata.namespace=a,status.phase=Running", True),
        ("status.phase!=Running", False),
        ("spec.nodeName=n1", True),
    ],
)
def test_field_selectors(selector, expected):
    assert matches(fields=selector) is expected


def test_events_are_selected_by_what_they_are_about():
    event = {"metadata": {"name": "e"}, "involvedObject": {"kind": "Pod", "uid": "1"}, "reason": "Pulled"}
    selector = "involvedObject.uid=1,involvedObject.kind=Pod,reason=Pulled"
    assert matches(fields=selector, resource="events", obj=event)


def test_a_field_that_cannot_be_selected_is_named():
    with pytest.raises(StatusError, match=r'"spec\.suspend" is not a known field selector'):
        matches(fields="spec.suspend=true", resource="pytorchjobs.kubeflow.org")


def test_a_selector_that_cannot_be_read_is_refused():
    with pytest.raises(StatusError, match="unable to parse requirement"):
        matches("app in x")
