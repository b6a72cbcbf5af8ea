"""The schemas of the kinds: read from the CRD files, or from `builtin.yaml` for the core group."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from sandbox.kinds import CRDS, KINDS
from sandbox.topology import Topology

Schema = dict[str, Any]


@cache
def schema_of(resource: str) -> Schema | None:
    """The OpenAPI v3 schema of a custom kind in its served version, or None for the core group."""
    kind = KINDS[resource]
    if not kind.crd:
        return None
    definition = _read(CRDS / kind.crd)
    for version in definition["spec"]["versions"]:
        if version["name"] == kind.version:
            found: Schema = version["schema"]["openAPIV3Schema"]
            return found
    raise LookupError(f"{kind.crd} does not define version {kind.version}")


@cache
def topology_of(resource: str) -> Topology:
    """How lists and maps of a kind merge."""
    return Topology(schema_of(resource))


def _read(path: Path) -> Any:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    with path.open(encoding="utf-8") as file:
        return yaml.load(file, Loader=loader)
