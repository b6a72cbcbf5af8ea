"""The rules for `metadata` that hold for every kind (k8s.io/apimachinery, pkg/api/validation/objectmeta.go)."""

import json
import re
from collections.abc import Iterator
from typing import Any

from sandbox import validation
from sandbox.errors import cause
from sandbox.kinds import Kind
from sandbox.schema import metadata_schema

Cause = dict[str, str]

_ANNOTATION_LIMIT_BYTES = 256 * 1024
_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?\Z")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\Z")
_KEY_NAME = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]\Z")
_VALUE = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?\Z")
_LABEL_NAMED = ("namespaces", "services")

_WHY_LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
_WHY_SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
_WHY_KEY = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
_WHY_VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)


def check(kind: Kind, obj: dict[str, Any]) -> list[Cause]:
    """Everything that is wrong with an object's metadata."""
    meta = obj["metadata"]
    found = list(validation.check(meta, metadata_schema(), "metadata"))
    if found:
        return found
    found += _name(kind, meta)
    found += _labels(meta.get("labels") or {})
    found += _annotations(meta.get("annotations") or {})
    return found


def _invalid(value: str, why: str, field: str) -> Cause:
    return cause("FieldValueInvalid", f"Invalid value: {json.dumps(value)}: {why}", field)


def _name(kind: Kind, meta: dict[str, Any]) -> Iterator[Cause]:
    name, field = meta.get("name") or "", "metadata.name"
    if not name and not meta.get("generateName"):
        yield cause("FieldValueRequired", "Required value: name or generateName is required", field)
        return
    if not name:
        name, field = meta["generateName"].rstrip("-") or "-", "metadata.generateName"
    short = kind.resource in _LABEL_NAMED
    limit = 63 if short else 253
    if len(name) > limit:
        yield _invalid(name, f"must be no more than {limit} bytes", field)
    if not (_LABEL if short else _SUBDOMAIN).match(name):
        yield _invalid(name, _WHY_LABEL if short else _WHY_SUBDOMAIN, field)


def _labels(labels: dict[str, str]) -> Iterator[Cause]:
    for key, value in labels.items():
        yield from _key(key, "metadata.labels")
        if len(value) > 63:
            yield _invalid(value, "must be no more than 63 bytes", "metadata.labels")
        if not _VALUE.match(value):
            yield _invalid(value, _WHY_VALUE, "metadata.labels")


def _annotations(annotations: dict[str, str]) -> Iterator[Cause]:
    for key in annotations:
        yield from _key(key.lower(), "metadata.annotations")
    size = sum(len(key.encode()) + len(value.encode()) for key, value in annotations.items())
    if size > _ANNOTATION_LIMIT_BYTES:
        message = f"Too long: may not be more than {_ANNOTATION_LIMIT_BYTES} bytes"
        yield cause("FieldValueTooLong", message, "metadata.annotations")


def _key(key: str, field: str) -> Iterator[Cause]:
    prefix, slash, name = key.rpartition("/")
    if not _KEY_NAME.match(name) or len(name) > 63:
        yield _invalid(key, _WHY_KEY, field)
    if slash and (not _SUBDOMAIN.match(prefix) or len(prefix) > 253):
        yield _invalid(key, f"prefix part {_WHY_SUBDOMAIN}", field)
