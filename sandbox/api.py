"""The REST verbs of the Kubernetes API, one handler each."""

from collections.abc import Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from sandbox import errors, logs, patch, writing
from sandbox.auth import Act, Gate, User
from sandbox.cluster import Cluster
from sandbox.decoding import BODY_LIMIT_BYTES, decode, decode_object, too_large
from sandbox.errors import StatusError
from sandbox.listing import Lists
from sandbox.paths import Target, target_of
from sandbox.query import flag
from sandbox.records import Record, encode
from sandbox.schema import topology_of
from sandbox.watch import Pulse, open_watch
from sandbox.writing import Options

_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
_PROPAGATIONS = ("Foreground", "Background", "Orphan")
_APPLY = "application/apply-patch+yaml"
_MERGE = "application/merge-patch+json"
_JSON = "application/json-patch+json"
_STRATEGIC = "application/strategic-merge-patch+json"
_CUSTOM = (_JSON, _MERGE, _APPLY)

Object = dict[str, Any]


def json_response(body: Any, code: int = 200, warnings: list[str] | None = None) -> Response:
    """An answer in JSON; `body` may already be JSON text. Warnings go out as RFC 7234 headers."""
    text = body if isinstance(body, str) else encode(body)
    response = Response(text, code, media_type="application/json")
    for warning in warnings or ():
        quoted = warning.replace("\\", "\\\\").replace('"', '\\"')
        response.headers.append("Warning", f'299 - "{quoted}"')
    return response


async def read_body(request: Request) -> bytes:
    """The body, or 413 as soon as it is too long."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > BODY_LIMIT_BYTES:
            raise too_large()
    return bytes(body)


class Api:
    """Answers requests below `/api/v1` and `/apis`."""

    def __init__(self, cluster: Cluster, pulse: Pulse, gate: Gate) -> None:
        self._cluster = cluster
        self._store = cluster.store
        self._pulse = pulse
        self._gate = gate
        self._lists = Lists(cluster.store)

    async def handle(self, request: Request, user: User) -> Response:
        """One request of a known user."""
        target = target_of(request.url.path)
        verb = _verb(request, target)
        act = Act(verb, target.kind.group, target.resource, target.namespace, target.name)
        self._gate.check(user, act)
        if verb in ("get", "list", "watch"):
            return self._read(verb, target, request.query_params)
        if target.kind.read_only or target.subresource == "log":
            raise _not_allowed()
        body = await read_body(request)
        with self._store.transaction():
            response = self._write(verb, target, request, body)
            self._cluster.settle()
        return response

    def _read(self, verb: str, target: Target, query: Mapping[str, str]) -> Response:
        if verb == "watch":
            watch = open_watch(self._store, self._pulse, target, query)
            return StreamingResponse(watch.stream(), media_type="application/json")
        if verb == "list":
            return json_response(self._lists.page(target, query))
        if target.subresource == "log":
            options = logs.options_of(target.name, query, self._store.clock.now())
            record = logs.pod(self._store, target.namespace, target.name)
            return StreamingResponse(
                logs.open_log(self._store, self._pulse, record, options), media_type="text/plain; charset=utf-8"
            )
        return json_response(self._record(target).text)

    def _record(self, target: Target) -> Record:
        record = self._store.peek(target.kind.resource, target.namespace, target.name)
        if record is None:
            raise errors.not_found(target.kind.resource, target.name)
        return record

    def _write(self, verb: str, target: Target, request: Request, body: bytes) -> Response:
        content_type = request.headers.get("content-type", "application/json").partition(";")[0].strip()
        if verb == "delete":
            return self._delete(target, request.query_params, body)
        options = _options(request, content_type)
        if verb == "patch":
            return self._patch(target, content_type, body, options)
        obj = decode_object(body, content_type)
        if verb == "create":
            made = writing.create(self._store, target.kind, target.namespace, obj, options)
            return json_response(made, 201, options.warnings)
        record = self._record(target)
        return json_response(self._replace(target, record, obj, options), 200, options.warnings)

    def _replace(self, target: Target, record: Record, obj: Object, options: Options) -> Object:
        if target.subresource == "status":
            return writing.update_status(self._store, target.kind, record, obj, options)
        return writing.update(self._store, target.kind, record, obj, options)

    def _patch(self, target: Target, content_type: str, body: bytes, options: Options) -> Response:
        if content_type == _APPLY and not target.subresource:
            wanted = decode_object(body, content_type)
            existed = self._store.peek(target.kind.resource, target.namespace, target.name) is not None
            place = (target.namespace, target.name)
            applied = writing.apply_object(self._store, target.kind, place, wanted, options)
            return json_response(applied, 200 if existed else 201, options.warnings)
        options.patches = True
        change = _change(target, content_type, decode(body, content_type))
        record = self._record(target)
        patched = writing.patched(record, change)
        return json_response(self._replace(target, record, patched, options), 200, options.warnings)

    def _delete(self, target: Target, query: Mapping[str, str], body: bytes) -> Response:
        if target.subresource:
            raise _not_allowed()
        asked = decode_object(body, "application/json") if body.strip() else {}
        conditions = asked.get("preconditions") or {}
        if not isinstance(conditions, dict):
            raise errors.bad_request("preconditions: wanted a map with uid or resourceVersion")
        propagation = asked.get("propagationPolicy") or query.get("propagationPolicy") or "Background"
        if propagation not in _PROPAGATIONS:
            listed = ", ".join(f'"{name}"' for name in (*_PROPAGATIONS, "nil"))
            message = f'Unsupported value: "{propagation}": supported values: {listed}'
            causes = [errors.cause("FieldValueNotSupported", message, "propagationPolicy")]
            raise errors.invalid("DeleteOptions.meta.k8s.io", "", causes)
        record = self._record(target)
        if asked.get("dryRun") or query.get("dryRun"):
            return json_response(_deleted(target, record))
        kept = self._store.delete(
            target.kind.resource,
            target.namespace,
            target.name,
            propagation=propagation,
            uid=conditions.get("uid"),
            version=conditions.get("resourceVersion"),
            grace=_grace(asked, query),
        )
        return json_response(kept or _deleted(target, record))


def _verb(request: Request, target: Target) -> str:
    """The verb as RBAC knows it; 405 where the path does not take the method."""
    if request.method in ("GET", "HEAD"):
        if flag(request.query_params, "watch") and not target.subresource:
            return "watch"
        return "get" if target.name else "list"
    verb = _VERBS.get(request.method, "")
    if not verb or (verb == "create") == bool(target.name):
        raise _not_allowed()
    return verb


def _not_allowed() -> StatusError:
    message = "the server does not allow this method on the requested resource"
    return StatusError(405, "MethodNotAllowed", message)


def _options(request: Request, content_type: str) -> Options:
    """The query of a write; 422 where its values are not known."""
    query = request.query_params
    manager = query.get("fieldManager", "")
    applies = content_type == _APPLY
    kind = "PatchOptions.meta.k8s.io" if request.method == "PATCH" else "CreateOptions.meta.k8s.io"
    if applies and not manager:
        message = "Required value: is required for apply patch"
        raise errors.invalid(kind, "", [errors.cause("FieldValueRequired", message, "fieldManager")])
    if len(manager) > 128 or not manager.isprintable():
        message = "Invalid value: must be at most 128 printable characters"
        raise errors.invalid(kind, "", [errors.cause("FieldValueInvalid", message, "fieldManager")])
    if query.get("dryRun", "All") != "All":
        message = f'Unsupported value: "{query["dryRun"]}": supported values: "All"'
        raise errors.invalid(kind, "", [errors.cause("FieldValueNotSupported", message, "dryRun")])
    validation = query.get("fieldValidation") or "Warn"
    if validation not in ("Ignore", "Strict", "Warn"):
        message = f'Unsupported value: "{validation}": supported values: "Ignore", "Strict", "Warn"'
        raise errors.invalid(kind, "", [errors.cause("FieldValueNotSupported", message, "fieldValidation")])
    if flag(query, "force") and not applies:
        message = "Forbidden: may not be specified for non-apply patch"
        raise errors.invalid(kind, "", [errors.cause("FieldValueForbidden", message, "force")])
    return Options(
        manager=manager or request.headers.get("user-agent", "unknown").partition("/")[0][:128],
        dry_run="dryRun" in query,
        validation=validation,
        force=flag(query, "force"),
    )


def _change(target: Target, content_type: str, body: Any) -> Callable[[Object], Any]:
    """The function that a patch is; 415 for a type that the kind does not take."""
    if content_type == _MERGE:
        return lambda obj: patch.merge(obj, body)
    if content_type == _JSON:
        return lambda obj: patch.apply_operations(obj, body)
    if content_type == _STRATEGIC and not target.kind.crd:
        return lambda obj: patch.merge_by_key(obj, body, topology_of(target.kind.resource))
    if content_type == _STRATEGIC:
        message = (
            f"the body of the request was in an unknown format - accepted media types include: {', '.join(_CUSTOM)}"
        )
    else:
        message = "415: Unsupported Media Type"
    raise StatusError(415, "UnsupportedMediaType", message)


def _grace(asked: Mapping[str, Any], query: Mapping[str, str]) -> int | None:
    """The grace period in seconds, or None for the object's own."""
    value = asked.get("gracePeriodSeconds", query.get("gracePeriodSeconds"))
    if value is None:
        return None
    try:
        return max(int(value), 0)
    except (TypeError, ValueError) as error:
        raise errors.bad_request(f"gracePeriodSeconds: {value} is no number") from error


def _deleted(target: Target, record: Record) -> Object:
    details: Object = {"name": target.name, "kind": target.kind.plural, "uid": record.uid}
    if target.kind.group:
        details["group"] = target.kind.group
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details}
