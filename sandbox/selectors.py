"""Label and field selectors (k8s.io/apimachinery, pkg/labels/selector.go and pkg/fields/selector.go)."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from sandbox.errors import bad_request
from sandbox.records import Record

Match = Callable[[Record], bool]
_Labels = Mapping[str, str]

_SET = re.compile(r"^\s*(\S+)\s+(in|notin)\s*\(([^()]*)\)\s*$")
_EQUAL = re.compile(r"^\s*([^\s=!,]+)\s*(==|=|!=)\s*([^\s=!,]*)\s*$")
_EXISTS = re.compile(r"^\s*(!?)\s*([^\s=!,()]+)\s*$")
_COMMAS_OUTSIDE_BRACKETS = re.compile(r",(?![^()]*\))")

_FIELDS: dict[str, tuple[str, ...]] = {
    "events": (
        "involvedObject.apiVersion",
        "involvedObject.fieldPath",
        "involvedObject.kind",
        "involvedObject.name",
        "involvedObject.namespace",
        "involvedObject.resourceVersion",
        "involvedObject.uid",
        "reason",
        "reportingComponent",
        "source",
        "type",
    ),
    "namespaces": ("status.phase",),
    "nodes": ("spec.unschedulable",),
    "pods": (
        "spec.nodeName",
        "spec.restartPolicy",
        "spec.schedulerName",
        "spec.serviceAccountName",
        "status.phase",
        "status.podIP",
    ),
    "workloads.kueue.x-k8s.io": ("spec.queueName", "status.admission.clusterQueue"),
}


def matcher(resource: str, label_selector: str, field_selector: str) -> Match:
    """One test for both selectors; 400 when one cannot be read or names a field that cannot be selected."""
    labels = _label_tests(label_selector)
    wanted = _field_tests(resource, field_selector)

    def matches(record: Record) -> bool:
        held = record.labels
        return all(test(held) for test in labels) and all(test(record) for test in wanted)

    return matches


def _label_tests(selector: str) -> list[Callable[[_Labels], bool]]:
    if not selector.strip():
        return []
    return [_label_test(part) for part in _COMMAS_OUTSIDE_BRACKETS.split(selector)]


def _label_test(part: str) -> Callable[[_Labels], bool]:
    if found := _SET.match(part):
        key, operator, listed = found.groups()
        values = {value.strip() for value in listed.split(",")}
        if operator == "in":
            return lambda labels: labels.get(key) in values
        return lambda labels: labels.get(key) not in values
    if found := _EQUAL.match(part):
        key, operator, value = found.groups()
        if operator == "!=":
            return lambda labels: labels.get(key) != value
        return lambda labels: labels.get(key) == value
    if found := _EXISTS.match(part):
        absent, key = found.groups()
        return lambda labels: (key in labels) != bool(absent)
    raise bad_request(f"unable to parse requirement: found '{part}'")


def _field_tests(resource: str, selector: str) -> list[Match]:
    return [_field_test(resource, part) for part in selector.split(",") if part.strip()]


def _field_test(resource: str, part: str) -> Match:
    found = _EQUAL.match(part)
    if found is None:
        raise bad_request(f"invalid selector: '{part}'; can't understand '{part}'")
    path, operator, value = found.groups()
    if path not in ("metadata.name", "metadata.namespace", *_FIELDS.get(resource, ())):
        known = ", ".join(f'"{name}"' for name in ("metadata.name", "metadata.namespace", *_FIELDS.get(resource, ())))
        raise bad_request(f'"{path}" is not a known field selector: only {known}')
    steps = path.split(".")
    wanted = operator != "!="
    return lambda record: (_read(record.obj, steps) == value) == wanted


def _read(obj: Any, steps: list[str]) -> str:
    """The value at a path as text; "" where there is none."""
    for step in steps:
        obj = obj.get(step) if isinstance(obj, dict) else None
    if isinstance(obj, dict):
        return str(obj.get("component", ""))
    return "" if obj is None else str(obj).lower() if isinstance(obj, bool) else str(obj)
