"""What a request is about, read from its path (k8s.io/apiserver, pkg/endpoints/request/requestinfo.go)."""

from dataclasses import dataclass

from sandbox.errors import unknown_path
from sandbox.kinds import Kind, served


@dataclass(frozen=True, slots=True)
class Target:
    """A collection (no name), an object, or a subresource of an object."""

    kind: Kind
    namespace: str = ""
    name: str = ""
    subresource: str = ""

    @property
    def resource(self) -> str:
        """The resource with its subresource, as RBAC and discovery name it: `pods/log`."""
        return f"{self.kind.plural}/{self.subresource}" if self.subresource else self.kind.plural


def target_of(path: str) -> Target:
    """The target of a path below `/api/v1/` or `/apis/<group>/<version>/`; 404 for a path nobody serves."""
    parts = path.strip("/").split("/")
    if parts[:2] == ["api", "v1"]:
        group, version, rest = "", "v1", parts[2:]
    elif parts[0] == "apis" and len(parts) > 3:
        group, version, rest = parts[1], parts[2], parts[3:]
    else:
        raise unknown_path()
    namespace = ""
    if len(rest) > 2 and rest[0] == "namespaces" and rest[2] not in ("status", "finalize"):
        namespace, rest = rest[1], rest[2:]
    if not rest or len(rest) > 3 or "" in rest:
        raise unknown_path()
    kind = served(group, version, rest[0])
    name, subresource = (*rest[1:], "", "")[:2]
    if (namespace and not kind.namespaced) or (name and kind.namespaced and not namespace):
        raise unknown_path()
    if subresource and subresource not in subresources(kind):
        raise unknown_path()
    return Target(kind, namespace, name, subresource)


def subresources(kind: Kind) -> tuple[str, ...]:
    """What can follow the name of an object of this kind."""
    status = ("status",) if kind.has_status else ()
    return (*status, "log") if kind.resource == "pods" else status
