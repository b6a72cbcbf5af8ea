"""Lists: selectors, pages of one snapshot, and the rules for their parameters."""

import base64
import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sandbox.errors import StatusError, bad_request, cause, expired, invalid, too_large_version
from sandbox.kinds import Kind
from sandbox.paths import Target
from sandbox.query import whole
from sandbox.records import Record, encode
from sandbox.selectors import matcher
from sandbox.store import Store

_SNAPSHOTS = 64


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a list found at one version."""

    version: int
    records: Sequence[Record]


class Lists:
    """Answers lists. The snapshots behind open `continue` tokens are kept, the oldest go first."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._snapshots: OrderedDict[int, Snapshot] = OrderedDict()
        self._made = 0

    def page(self, target: Target, query: Mapping[str, str]) -> str:
        """The List object as JSON text."""
        check_options(query, watch=False)
        limit = max(whole(query, "limit", 0), 0)
        token = query.get("continue", "")
        if token:
            number, start = _read_token(token)
            snapshot = self._snapshot(number)
        else:
            number, start = 0, 0
            snapshot = self._find(target, query)
        end = start + limit if limit else len(snapshot.records)
        rest = len(snapshot.records) - end
        meta: dict[str, object] = {"resourceVersion": str(snapshot.version)}
        if rest > 0:
            meta["continue"] = _token(number or self._keep(snapshot), end)
            if not (query.get("labelSelector") or query.get("fieldSelector")):
                meta["remainingItemCount"] = rest
        return _list(target.kind, meta, snapshot.records[start:end])

    def _find(self, target: Target, query: Mapping[str, str]) -> Snapshot:
        self._check_version(query)
        matches = matcher(target.kind.resource, query.get("labelSelector", ""), query.get("fieldSelector", ""))
        held = self._store.select(target.kind.resource, target.namespace or None)
        return Snapshot(self._store.version, [record for record in held if matches(record)])

    def _check_version(self, query: Mapping[str, str]) -> None:
        """Only the present can be listed: an exact older version is expired, a newer one is not here yet."""
        asked = version_of(query)
        present = self._store.version
        if asked > present:
            raise too_large_version(asked, present)
        if query.get("resourceVersionMatch") == "Exact" and asked != present:
            raise expired("The resourceVersion for the provided list is too old.")

    def _keep(self, snapshot: Snapshot) -> int:
        self._made += 1
        self._snapshots[self._made] = snapshot
        if len(self._snapshots) > _SNAPSHOTS:
            self._snapshots.popitem(last=False)
        return self._made

    def _snapshot(self, number: int) -> Snapshot:
        if number not in self._snapshots:
            raise expired(
                "The provided continue parameter is too old to display a consistent list result. "
                "You can start a new list without the continue parameter."
            )
        return self._snapshots[number]


def check_options(query: Mapping[str, str], watch: bool) -> None:
    """422 for parameters that exclude each other (k8s.io/apimachinery, ValidateListOptions)."""
    match = query.get("resourceVersionMatch", "")
    version = query.get("resourceVersion", "")
    initial = query.get("sendInitialEvents", "")
    if initial and not watch:
        raise _option("sendInitialEvents", "Forbidden: sendInitialEvents is forbidden for list")
    if initial and match != "NotOlderThan":
        raise _option(
            "resourceVersionMatch", "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
        )
    if not match:
        return
    if match not in ("Exact", "NotOlderThan"):
        raise _option(
            "resourceVersionMatch", f'Unsupported value: "{match}": supported values: "Exact", "NotOlderThan"'
        )
    _check_match(match, version, query, watch)


def _check_match(match: str, version: str, query: Mapping[str, str], watch: bool) -> None:
    field = "resourceVersionMatch"
    if watch and not query.get("sendInitialEvents"):
        raise _option(
            field, "Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"
        )
    if not version and not watch:
        raise _option(field, "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided")
    if query.get("continue"):
        raise _option(field, "Forbidden: resourceVersionMatch is forbidden when continue is provided")
    if match == "Exact" and version == "0":
        raise _option(field, 'Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"')


def _option(field: str, message: str) -> StatusError:
    return invalid("ListOptions.meta.k8s.io", "", [cause("FieldValueForbidden", message, field)])


def version_of(query: Mapping[str, str]) -> int:
    """The `resourceVersion` of a query; 0 when there is none."""
    text = query.get("resourceVersion", "")
    if not text.isascii() or (text and not text.isdigit()):
        why = f'Invalid value: "{text}": strconv.ParseUint: parsing "{text}": invalid syntax'
        raise bad_request(f"invalid resource version: resourceVersion: {why}")
    return int(text or 0)


def _token(number: int, start: int) -> str:
    return base64.urlsafe_b64encode(encode({"v": "sandbox/v1", "list": number, "start": start}).encode()).decode()


def _read_token(text: str) -> tuple[int, int]:
    try:
        value = json.loads(base64.urlsafe_b64decode(text))
        return int(value["list"]), int(value["start"])
    except (ValueError, KeyError, TypeError) as error:
        raise bad_request(f"invalid continue token: continue key is not valid: {error}") from error


def _list(kind: Kind, meta: Mapping[str, object], records: Sequence[Record]) -> str:
    head = encode({"apiVersion": kind.api_version, "kind": f"{kind.kind}List", "metadata": meta})
    items = ",".join(record.text for record in records)
    return f'{head[:-1]},"items":[{items}]}}'
