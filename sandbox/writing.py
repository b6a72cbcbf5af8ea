"""The way of a write through the API server.

1. Identity: what the object says of itself fits the path.
2. Unknown fields: refused, warned about or dropped, as `fieldValidation` says.
3. Mutating webhooks, then defaults.
4. Schema and rules, then validating webhooks.
5. The store, unless it is a dry run.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sandbox import admission, apply, drafts, errors, meta, pruning, rules, validation
from sandbox.fields import Writer
from sandbox.kinds import Kind
from sandbox.records import Record, encode
from sandbox.schema import metadata_schema, schema_of, topology_of
from sandbox.store import Store

Object = dict[str, Any]

# k8s.io/apiextensions-apiserver, pkg/registry/customresource/strategy.go: what keeps CEL rules from being asked.
_BLOCKING = (
    "FieldValueNotSupported",
    "FieldValueRequired",
    "FieldValueTooLong",
    "FieldValueTooMany",
    "FieldValueTypeInvalid",
)
_UNCHECKED = (
    "some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation"
)


@dataclass(slots=True)
class Options:
    """What the query of a write asks for, and the warnings that its answer carries."""

    manager: str = "unknown"
    dry_run: bool = False
    validation: str = "Warn"
    force: bool = False
    patches: bool = False
    warnings: list[str] = field(default_factory=list)


def create(store: Store, kind: Kind, namespace: str, obj: Object, options: Options) -> Object:
    """POST: a new object, as stored."""
    identify(kind, obj, namespace)
    if namespace:
        drafts.must_accept(store, kind, obj["metadata"].get("name", ""), namespace)
    if kind.has_status:
        obj.pop("status", None)
    _admit(store, kind, obj, None, options)
    return store.create(kind.resource, obj, manager=options.manager, dry_run=options.dry_run)


def update(store: Store, kind: Kind, record: Record, obj: Object, options: Options) -> Object:
    """PUT, and the end of most PATCHes: the next state of an object."""
    identify(kind, obj, record.namespace, record.name)
    if kind.group and not obj["metadata"].get("resourceVersion"):
        message = "Invalid value: 0: must be specified for an update"
        causes = [errors.cause("FieldValueInvalid", message, "metadata.resourceVersion")]
        raise errors.invalid(kind.resource, record.name, causes)
    store.current(kind.resource, obj)
    if kind.has_status:
        obj["status"] = record.copy().get("status", {})
    _admit(store, kind, obj, record, options)
    return store.update(kind.resource, obj, manager=options.manager, dry_run=options.dry_run)


def update_status(store: Store, kind: Kind, record: Record, obj: Object, options: Options) -> Object:
    """PUT or PATCH of the status subresource: nothing but the status is taken."""
    identify(kind, obj, record.namespace, record.name)
    whole = record.copy() | {"status": obj.get("status", {})}
    if "resourceVersion" in obj["metadata"]:
        whole["metadata"]["resourceVersion"] = obj["metadata"]["resourceVersion"]
    _screen(kind, whole, options)
    _check(kind, whole, record.obj)
    return store.update_status(kind.resource, whole, manager=options.manager, dry_run=options.dry_run)


def apply_object(store: Store, kind: Kind, place: tuple[str, str], wanted: Object, options: Options) -> Object:
    """Server-side apply at (namespace, name): makes the object when there is none."""
    namespace, name = place
    if not (wanted.get("apiVersion") and wanted.get("kind")):
        group, _, version = str(wanted.get("apiVersion", "")).rpartition("/")
        raise errors.bad_request(f"invalid object type: {group}/{version}, Kind={wanted.get('kind', '')}")
    identify(kind, wanted, namespace, name)
    if wanted["metadata"].get("managedFields"):
        raise errors.bad_request("metadata.managedFields must be nil")
    _screen(kind, wanted, options)
    if kind.has_status:
        wanted.pop("status", None)
    writer = Writer(options.manager, "Apply")
    record = store.peek(kind.resource, namespace, name)
    live = record.copy() if record else {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": {}}
    time = store.clock.stamp()
    merged = apply.apply(live, wanted, writer, topology_of(kind.resource), force=options.force, time=time)
    managed = merged["metadata"].pop("managedFields")
    if record is None:
        if namespace:
            drafts.must_accept(store, kind, name, namespace)
        _admit(store, kind, merged, None, options)
        return store.create(kind.resource, merged, managed=managed, dry_run=options.dry_run)
    _admit(store, kind, merged, record, options)
    return store.update(kind.resource, merged, managed=managed, dry_run=options.dry_run)


def patched(record: Record, change: Callable[[Object], Any]) -> Object:
    """The object after a patch, ready for `update` or `update_status`; 400 when it is no object any more."""
    result = change(record.copy())
    if not isinstance(result, dict) or not isinstance(result.get("metadata"), dict):
        raise errors.bad_request("the patch leaves no object with metadata")
    return result


def identify(kind: Kind, obj: Object, namespace: str, name: str = "") -> None:
    """Complete an object with what the path says, or 400 when it says otherwise."""
    if obj.setdefault("apiVersion", kind.api_version) != kind.api_version:
        raise errors.bad_request(
            f"the API version in the data ({obj['apiVersion']}) does not match the expected API version "
            f"({kind.api_version})"
        )
    if obj.setdefault("kind", kind.kind) != kind.kind:
        if not kind.crd:
            raise errors.bad_request(f'{obj["kind"]} in version "{kind.version}" cannot be handled as a {kind.kind}')
        message = f"Invalid value: {json.dumps(obj['kind'])}: must be {kind.kind}"
        stated = f"{obj['kind']}.{kind.group}" if kind.group else str(obj["kind"])
        raise errors.invalid(stated, name, [errors.cause("FieldValueInvalid", message, "kind")])
    held = obj.setdefault("metadata", {})
    if not isinstance(held, dict):
        raise errors.bad_request("the object provided is unrecognized: metadata is no map of fields")
    if namespace and held.setdefault("namespace", namespace) != namespace:
        raise errors.bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )
    if name and held.setdefault("name", name) != name:
        raise errors.bad_request(f"the name of the object ({held['name']}) does not match the name on the URL ({name})")
    if not namespace:
        held.pop("namespace", None)


def _admit(store: Store, kind: Kind, obj: Object, old: Record | None, options: Options) -> None:
    _screen(kind, obj, options)
    before = old.copy() if old else None
    admission.mutate(store, kind.resource, obj, "UPDATE" if old else "CREATE")
    pruning.fill_defaults(obj, schema_of(kind.resource))
    _check(kind, obj, before)
    admission.validate(store, kind.resource, obj, before)


def _screen(kind: Kind, obj: Object, options: Options) -> None:
    """Drop nulls and unknown fields; under Strict these are an error, under Warn a warning each."""
    envelope = {name: obj.pop(name) for name in ("apiVersion", "kind", "metadata")}
    envelope["metadata"] = pruning.drop_nulls(envelope["metadata"])
    body = pruning.drop_nulls(obj)
    unknown = pruning.prune(envelope["metadata"], metadata_schema(), "metadata")
    unknown += sorted(pruning.prune(body, schema_of(kind.resource)))
    obj.clear()
    obj.update(envelope | body)
    complaints = [f'unknown field "{path}"' for path in unknown]
    if not complaints:
        return
    if options.validation == "Strict":
        why = f"strict decoding error: {', '.join(complaints)}"
        if options.patches:
            cause = errors.cause("FieldValueInvalid", f"Invalid value: {json.dumps(encode(obj))}: {why}", "patch")
            raise errors.invalid(kind.qualified, obj["metadata"].get("name", ""), [cause])
        raise _undecodable(kind, why)
    if options.validation == "Warn":
        options.warnings += complaints


def _undecodable(kind: Kind, why: str) -> errors.StatusError:
    return errors.bad_request(f'{kind.kind} in version "{kind.version}" cannot be handled as a {kind.kind}: {why}')


def _check(kind: Kind, obj: Object, old: Object | None) -> None:
    """422 with every cause; 400 where the API server could not even decode the object: metadata, and core kinds."""
    found = meta.check(kind, obj)
    schema = schema_of(kind.resource)
    body = {name: value for name, value in obj.items() if name != "metadata"}
    wrong = list(validation.check(body, schema))
    for item in found + ([] if kind.crd else wrong):
        if item["reason"] == "FieldValueTypeInvalid":
            raise _undecodable(kind, item["message"].split(": ", 2)[-1])
    found += wrong
    if kind.crd:
        # A plain pod may name a variable twice, the last one counts; in the templates of custom kinds it may not.
        found += validation.duplicates(body, schema)
    if kind.crd and any(item["reason"] in _BLOCKING for item in found):
        found.append(errors.cause("FieldValueInvalid", f"Invalid value: null: {_UNCHECKED}", "<nil>"))
    found = found or rules.check(kind.resource, obj, old)
    if found:
        raise errors.invalid(kind.qualified, obj["metadata"].get("name", ""), found)
