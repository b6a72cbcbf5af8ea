"""Applies the table to a manifest: `force` writes what is not the job's to choose, `check` judges the result."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from jobs.policy.rule import Rule, Verdict, step_matches
from jobs.policy.table import table
from portal.errors import FieldError
from portal.quantity import BadQuantity, parse

Path = tuple[str, ...]
MAX_DEPTH = 24  # deeper than any leaf of the table


def force(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """A copy with every FORCE row's value in place, whatever stood there."""
    forced = deepcopy(dict(manifest))
    for rule in table(()):
        if rule.verdict is Verdict.FORCE:
            _write(forced, rule.path, rule.value)
    return forced


def check(manifest: Mapping[str, Any], image_prefixes: tuple[str, ...]) -> list[FieldError]:
    """What the table forbids about a manifest, with paths in it; [] when nothing."""
    rules = table(image_prefixes)
    errors = [error for path, value in _leaves(manifest, ()) for error in _judge(rules, path, value)]
    for rule in rules:
        if rule.verdict is not Verdict.ALLOW:
            errors += [FieldError(path, f"This is missing. {rule.why}") for path in _missing(manifest, rule.path, ())]
    return errors + [error for path, pod in _pods(manifest) for error in _relations(path, pod)]


def _judge(rules: tuple[Rule, ...], path: Path, value: Any) -> Iterator[FieldError]:
    rule = next((rule for rule in rules if rule.covers(path)), None)
    where = ".".join(path)
    if rule is None:
        yield FieldError(where, f"{where} is not allowed in a job.")
    elif rule.verdict is Verdict.FORCE and (value != rule.value or type(value) is not type(rule.value)):
        yield FieldError(where, f"This must be {rule.value}. {rule.why}")
    elif rule.check(value):
        yield FieldError(where, rule.check(value))


def _leaves(node: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    if isinstance(node, Mapping) and node and len(path) < MAX_DEPTH:
        for key, value in node.items():
            yield from _leaves(value, (*path, str(key)))
    elif isinstance(node, list) and node and len(path) < MAX_DEPTH:
        for value in node:
            yield from _leaves(value, (*path, "[]"))
    else:
        yield path, node


def _write(node: Any, path: Path, value: Any) -> None:
    """Sets `value` at every place that `path` names, making maps on the way; patterns and lists as they are."""
    step, rest = path[0], path[1:]
    if step.startswith("~") and isinstance(node, dict):
        for key in [key for key in node if step_matches(step, key)]:
            _write(node[key], rest, value)
    elif step == "[]" and isinstance(node, list):
        for entry in node:
            _write(entry, rest, value)
    elif isinstance(node, dict) and not rest:
        node[step] = value
    elif isinstance(node, dict) and rest == ("[]",):
        node[step] = [value]
    elif isinstance(node, dict):
        _write(node.setdefault(step, {}), rest, value)


def _missing(node: Any, path: Path, done: Path) -> Iterator[str]:
    """The places where `path` should lead on and does not. An absent pattern or list entry requires nothing."""
    if not path:
        return
    step, rest = path[0], path[1:]
    if step.startswith("~") and isinstance(node, Mapping):
        for key in [key for key in node if step_matches(step, key)]:
            yield from _missing(node[key], rest, (*done, key))
    elif step == "[]" and isinstance(node, list) and node:
        for entry in node:
            yield from _missing(entry, rest, (*done, "[]"))
    elif isinstance(node, Mapping) and step in node:
        yield from _missing(node[step], rest, (*done, step))
    elif step != "[]" or not rest:
        yield ".".join((*done, step))


def _pods(manifest: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    replicas = _map(_map(manifest.get("spec")).get("pytorchReplicaSpecs"))
    for role, replica in replicas.items():
        yield f"spec.pytorchReplicaSpecs.{role}.template.spec", _map(_map(_map(replica).get("template")).get("spec"))


def _relations(path: str, pod: Mapping[str, Any]) -> Iterator[FieldError]:
    """What only holds between leaves. Shapes that are wrong by themselves have been reported and are passed over."""
    containers = _maps(pod.get("containers"))
    if len(containers) != 1:
        yield FieldError(f"{path}.containers", f"A replica has exactly one container; this has {len(containers)}.")
        return
    resources = containers[0].get("resources")
    limits = _map(resources).get("limits")
    if _map(resources).get("requests") != limits:
        yield FieldError(f"{path}.containers.[].resources", "Requests and limits must be the same.")
    volumes = _maps(pod.get("volumes"))
    for volume in volumes:
        if len(volume.keys() - {"name"}) != 1:
            yield FieldError(f"{path}.volumes.[]", "A volume has exactly one source.")
        if "emptyDir" in volume and not _map(volume["emptyDir"]).keys() >= {"medium", "sizeLimit"}:
            yield FieldError(f"{path}.volumes.[].emptyDir", "An emptyDir is in memory and has a sizeLimit.")
    shared = sum(_bytes(_map(volume.get("emptyDir")).get("sizeLimit")) for volume in volumes)
    if shared > _bytes(_map(limits).get("memory")):
        yield FieldError(f"{path}.volumes", "Shared memory must fit into the container's memory limit.")


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _maps(value: Any) -> list[Mapping[str, Any]]:
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list) else []


def _bytes(value: Any) -> int:
    try:
        return parse(str(value))
    except BadQuantity:
        return 0
