"""What is served: versions, groups and their resources."""

from collections.abc import Iterable
from typing import Any

from sandbox.errors import unknown_path
from sandbox.kinds import KINDS, Kind
from sandbox.paths import subresources

VISIBILITY = ("visibility.kueue.x-k8s.io", "v1beta2")
AUTHORIZATION = ("authorization.k8s.io", "v1")

_READ = ["get", "list", "watch"]
_WRITE = ["create", "delete", "patch", "update"]

VERSION = {
    "major": "1",
    "minor": "36",
    "gitVersion": "v1.36.3+choirmaster-sandbox",
    "gitCommit": "",
    "gitTreeState": "clean",
    "buildDate": "1970-01-01T00:00:00Z",
    "goVersion": "",
    "compiler": "",
    "platform": "linux/amd64",
}


def versions() -> dict[str, Any]:
    """`/api`"""
    return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []}


def groups() -> dict[str, Any]:
    """`/apis`"""
    pairs = dict.fromkeys((kind.group, kind.version) for kind in KINDS.values() if kind.group)
    return {
        "kind": "APIGroupList",
        "apiVersion": "v1",
        "groups": [_group(*pair) for pair in (*pairs, AUTHORIZATION, VISIBILITY)],
    }


def group(name: str) -> dict[str, Any]:
    """`/apis/<group>`"""
    for item in groups()["groups"]:
        if item["name"] == name:
            return {"kind": "APIGroup", "apiVersion": "v1", **item}
    raise unknown_path()


def resources(name: str, version: str) -> dict[str, Any]:
    """`/api/v1` (the group is "") and `/apis/<group>/<version>`"""
    rows: list[dict[str, Any]]
    if (name, version) == VISIBILITY:
        rows = [*_pending("clusterqueue", False), *_pending("localqueue", True)]
    elif (name, version) == AUTHORIZATION:
        rows = [_row("selfsubjectaccessreviews", "SelfSubjectAccessReview", False, ["create"])]
    else:
        kinds = [kind for kind in KINDS.values() if (kind.group, kind.version) == (name, version)]
        rows = [row for kind in kinds for row in _rows(kind)]
    if not rows:
        raise unknown_path()
    joined = f"{name}/{version}" if name else version
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": joined, "resources": rows}


def knows(path: str) -> bool:
    """Whether `/apis/<group>/<version>/…` lies in a group and version that is served."""
    _, _, name, version, *_ = (*path.split("/"), "", "")
    return any(name == item["name"] and version == item["preferredVersion"]["version"] for item in groups()["groups"])


def _group(name: str, version: str) -> dict[str, Any]:
    entry = {"groupVersion": f"{name}/{version}", "version": version}
    return {"name": name, "versions": [entry], "preferredVersion": entry}


def _rows(kind: Kind) -> Iterable[dict[str, Any]]:
    row = _row(kind.plural, kind.kind, kind.namespaced, _READ if kind.read_only else sorted(_READ + _WRITE))
    if kind.short_names:
        row["shortNames"] = list(kind.short_names)
    yield row | {"singularName": kind.kind.lower()}
    for name in subresources(kind):
        verbs = ["get"] if name == "log" else ["get", "patch", "update"]
        yield _row(f"{kind.plural}/{name}", kind.kind, kind.namespaced, verbs)


def _row(name: str, kind: str, namespaced: bool, verbs: list[str]) -> dict[str, Any]:
    return {"name": name, "singularName": "", "namespaced": namespaced, "kind": kind, "verbs": verbs}


def _pending(singular: str, namespaced: bool) -> Iterable[dict[str, Any]]:
    """The queue itself can do nothing, and is listed all the same (seen of Kueue 0.17 and 0.19)."""
    plural, kind = f"{singular}s", "PendingWorkloadsSummary"
    yield _row(plural, kind, namespaced, []) | {"singularName": singular}
    yield _row(f"{plural}/pendingworkloads", kind, namespaced, ["get"])


def definitions() -> list[dict[str, Any]]:
    """A CustomResourceDefinition for each custom kind, without the schemas: those are files in `crds/`."""
    return [_definition(kind) for kind in KINDS.values() if kind.crd]


def _definition(kind: Kind) -> dict[str, Any]:
    names = {"kind": kind.kind, "listKind": f"{kind.kind}List", "plural": kind.plural, "singular": kind.kind.lower()}
    version = {
        "name": kind.version,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
        **({"subresources": {"status": {}}} if kind.has_status else {}),
    }
    conditions = [
        {"type": name, "status": "True", "reason": reason, "message": ""}
        for name, reason in (("NamesAccepted", "NoConflicts"), ("Established", "InitialNamesAccepted"))
    ]
    return {
        "metadata": {"name": kind.resource},
        "spec": {
            "group": kind.group,
            "names": names,
            "scope": "Namespaced" if kind.namespaced else "Cluster",
            "versions": [version],
        },
        "status": {"acceptedNames": names, "conditions": conditions, "storedVersions": [kind.version]},
    }
