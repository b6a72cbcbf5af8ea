"""Who asks, and what they may do: static bearer tokens and a small RBAC."""

import csv
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandbox.errors import StatusError, bad_request, forbidden, unauthorized

_MASTERS = "system:masters"


@dataclass(frozen=True, slots=True)
class User:
    """The owner of a token."""

    name: str
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Act:
    """What somebody wants to do, in the words of a SelfSubjectAccessReview's resourceAttributes."""

    verb: str
    group: str = ""
    resource: str = ""
    namespace: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """One grant. `*` stands for everything; `namespaces` names where it holds."""

    subjects: tuple[str, ...]
    groups: tuple[str, ...]
    resources: tuple[str, ...]
    verbs: tuple[str, ...]
    namespaces: tuple[str, ...]

    def allows(self, user: User, act: Act) -> bool:
        return (
            bool({user.name, *user.groups} & set(self.subjects))
            and _covers(self.groups, act.group)
            and _covers(self.resources, act.resource)
            and _covers(self.verbs, act.verb)
            and _covers(self.namespaces, act.namespace)
        )


def _covers(allowed: Sequence[str], wanted: str) -> bool:
    return "*" in allowed or wanted in allowed


def rule_of(entry: Mapping[str, Any]) -> Rule:
    """A rule of the cluster file: `{subjects, apiGroups, resources, verbs, namespaces}`, all lists.

    `subjects` are names of users or groups. `namespaces` may be left out: everywhere, as a ClusterRoleBinding.
    """
    return Rule(
        subjects=tuple(entry["subjects"]),
        groups=tuple(entry.get("apiGroups", [""])),
        resources=tuple(entry["resources"]),
        verbs=tuple(entry["verbs"]),
        namespaces=tuple(entry.get("namespaces", ["*"])),
    )


class Gate:
    """Answers who a bearer is and whether they may do what they ask."""

    def __init__(self, tokens: Mapping[str, User], rules: Sequence[Rule] = ()) -> None:
        self._tokens = dict(tokens)
        self._rules = list(rules)

    def user(self, authorization: str) -> User:
        """The user behind an Authorization header; 401 when the token is unknown."""
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() == "bearer":
            for known, user in self._tokens.items():
                if hmac.compare_digest(known.encode(), token.strip().encode()):
                    return user
        raise unauthorized()

    def allows(self, user: User, act: Act) -> bool:
        return _MASTERS in user.groups or any(rule.allows(user, act) for rule in self._rules)

    def check(self, user: User, act: Act) -> None:
        """403 in the words of kube-apiserver when the user may not do this."""
        if not self.allows(user, act):
            raise _denied(user, act)


def _denied(user: User, act: Act) -> StatusError:
    scope = f'in the namespace "{act.namespace}"' if act.namespace else "at the cluster scope"
    why = f'User "{user.name}" cannot {act.verb} resource "{act.resource}" in API group "{act.group}" {scope}'
    plural = act.resource.partition("/")[0]
    return forbidden(f"{plural}.{act.group}" if act.group else plural, act.name, why)


def read_tokens(path: Path) -> dict[str, User]:
    """A token file: `token,username,group1|group2` a line; raises ValueError for a line that is none."""
    tokens: dict[str, User] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.reader(file), start=1):
            if not row or row[0].startswith("#"):
                continue
            if len(row) < 2 or not row[0] or not row[1]:
                raise ValueError(f"{path}, line {number}: wanted token,username,group1|group2")
            groups = row[2].split("|") if len(row) > 2 and row[2] else []
            tokens[row[0].strip()] = User(row[1].strip(), ("system:authenticated", *groups))
    return tokens


def review(gate: Gate, user: User, body: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a SelfSubjectAccessReview."""
    spec = body.get("spec") or {}
    wanted = (spec.get("resourceAttributes") or {}) if isinstance(spec, dict) else None
    if not isinstance(wanted, dict) or not all(isinstance(value, str) for value in wanted.values()):
        raise bad_request("spec.resourceAttributes: wanted a map of texts")
    resource = wanted.get("resource", "")
    if wanted.get("subresource"):
        resource = f"{resource}/{wanted['subresource']}"
    act = Act(
        verb=wanted.get("verb", ""),
        group=wanted.get("group", ""),
        resource=resource,
        namespace=wanted.get("namespace", ""),
        name=wanted.get("name", ""),
    )
    allowed = gate.allows(user, act)
    reason = "" if allowed else f"no rule of the cluster file lets {user.name} {act.verb} {act.resource}"
    return {
        "kind": "SelfSubjectAccessReview",
        "apiVersion": "authorization.k8s.io/v1",
        "metadata": {},
        "spec": spec,
        "status": {"allowed": allowed, **({"reason": reason} if reason else {})},
    }
