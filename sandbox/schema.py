"""The schemas of the kinds: from the CRD files for custom kinds, from `builtin.yaml` for the others."""

from functools import cache
from pathlib import Path
from typing import Any

from sandbox.decoding import load_yaml
from sandbox.kinds import CRDS, KINDS
from sandbox.topology import Topology

Schema = dict[str, Any]

_ANYTHING: Schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


@cache
def schema_of(resource: str) -> Schema:
    """The OpenAPI v3 schema of a kind in its served version, without its metadata."""
    kind = KINDS[resource]
    if resource == "pods":
        return _pod_schema()
    if not kind.crd:
        known: Schema = _builtin().get(resource, _ANYTHING)
        return known
    for version in load_yaml((CRDS / kind.crd).read_text(encoding="utf-8"))["spec"]["versions"]:
        if version["name"] == kind.version:
            found: Schema = version["schema"]["openAPIV3Schema"]
            return found
    raise LookupError(f"{kind.crd} does not define version {kind.version}")


def _pod_schema() -> Schema:
    """The CRD of PyTorchJob describes pods to the last field: its templates hold their spec."""
    node = schema_of("pytorchjobs.kubeflow.org")["properties"]["spec"]["properties"]["pytorchReplicaSpecs"]
    template = node["additionalProperties"]["properties"]["template"]
    return {"type": "object", "properties": {"spec": template["properties"]["spec"], "status": _ANYTHING}}


@cache
def metadata_schema() -> Schema:
    """The schema of `metadata`, the same for every kind."""
    found: Schema = _builtin()["metadata"]
    return found


@cache
def topology_of(resource: str) -> Topology:
    """How lists and maps of a kind merge."""
    return Topology(schema_of(resource) if KINDS[resource].crd else None)


@cache
def _builtin() -> dict[str, Any]:
    loaded: dict[str, Any] = load_yaml((Path(__file__).parent / "builtin.yaml").read_text(encoding="utf-8"), True)
    return loaded
