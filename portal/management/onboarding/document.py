"""An onboarding file, read and checked. Its form is schema.yaml beside this module, its best example demo.yaml."""

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator, ValidationError
from jsonschema.exceptions import best_match

from portal.quantity import BadQuantity, parse
from quotas.manifests import QuotaLine

_SCHEMA = Draft202012Validator(yaml.safe_load((Path(__file__).parent / "schema.yaml").read_text()))
_TEMPLATE_KEYS = {"slug", "name", "description", "kind", "schema", "body"}


class DocumentError(Exception):
    """The file cannot be used; `problems` says where and why, a line each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True)
class Document:
    """The parts of the file as they stand there, with templates loaded. References between them hold."""

    users: Mapping[str, Mapping[str, str]]
    tenants: Mapping[str, Mapping[str, Any]]
    flavors: Mapping[str, Mapping[str, Any]]
    cohorts: list[str]
    queues: Mapping[str, Mapping[str, Any]]
    templates: list[Mapping[str, Any]]

    def quotas(self, queue: str) -> list[QuotaLine]:
        return [
            _line(flavor, resource, amount)
            for flavor, amounts in self.queues[queue]["quotas"].items()
            for resource, amount in amounts.items()
        ]


def read_document(path: Path) -> Document:
    """Raises DocumentError with everything that is wrong."""
    content = _load(path)
    problems = [_problem(error) for error in _SCHEMA.iter_errors(content)]
    if problems:
        raise DocumentError(sorted(problems))
    document = Document(
        users={email.lower(): columns or {} for email, columns in content.get("users", {}).items()},
        tenants=content.get("tenants", {}),
        flavors=content.get("flavors", {}),
        cohorts=content.get("cohorts", []),
        queues=content.get("queues", {}),
        templates=[_template(path.parent / name) for name in content.get("templates", [])],
    )
    if problems := [*_bad_amounts(document), *_bad_references(document)]:
        raise DocumentError(problems)
    return document


def _load(path: Path) -> Any:
    try:
        content = yaml.safe_load(path.read_text())
    except OSError as error:
        raise DocumentError([f"{path} cannot be read: {error.strerror}."]) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise DocumentError([f"{path} is no YAML: {error}"]) from error
    return {} if content is None else content


def _problem(error: ValidationError) -> str:
    """Of a value that may be of several forms: what is wrong in the form that it is nearest to."""
    nearest = best_match([error])
    return f"{_path(nearest.absolute_path)}: {nearest.message}"


def _path(parts: Any) -> str:
    return ".".join(str(part) for part in parts) or "the file"


def _template(path: Path) -> Mapping[str, Any]:
    content = _load(path)
    if not isinstance(content, dict) or set(content) != _TEMPLATE_KEYS:
        raise DocumentError([f"{path} needs exactly the keys {', '.join(sorted(_TEMPLATE_KEYS))}."])
    return content


def _line(flavor: str, resource: str, amount: Any) -> QuotaLine:
    amounts = amount if isinstance(amount, dict) else {"nominal": amount}
    parsed = {name: parse(str(value), resource) for name, value in amounts.items()}
    return QuotaLine(flavor, resource, **parsed)


def _bad_amounts(document: Document) -> Iterator[str]:
    for queue in document.queues:
        try:
            document.quotas(queue)
        except BadQuantity as error:
            yield f"queues.{queue}.quotas: {error}"


def _bad_references(document: Document) -> Iterator[str]:
    """Names that no other part of the file defines."""
    for slug, tenant in document.tenants.items():
        for email in tenant.get("members", {}):
            yield from _missing(f"tenants.{slug}.members", "users", document.users, email.lower())
    for name, queue in document.queues.items():
        yield from _missing(f"queues.{name}.tenant", "tenants", document.tenants, queue.get("tenant"))
        yield from _missing(f"queues.{name}.cohort", "cohorts", document.cohorts, queue.get("cohort"))
        for flavor in queue["quotas"]:
            yield from _missing(f"queues.{name}.quotas", "flavors", document.flavors, flavor)


def _missing(path: str, part: str, defined: Container[str], name: str | None) -> Iterator[str]:
    if name is not None and name not in defined:
        yield f"{path}: name {name} under {part} too."
