"""Bytes of a request, or of a file, into objects."""

import json
from typing import Any, NoReturn

import yaml

from sandbox.errors import StatusError, bad_request

# k8s.io/apiserver, pkg/server/config.go: MaxRequestBodyBytes.
BODY_LIMIT_BYTES = 3 * 1024 * 1024


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML as JSON knows it: a time stays the text it is."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in rules if tag != "tag:yaml.org,2002:timestamp"]
    for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def load_yaml(text: str, aliases: bool = False) -> Any:
    """One YAML document. Aliases can blow a small text up to any size, so only our own files may use them."""
    if not aliases and any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=_Loader)):
        raise ValueError("YAML aliases are not accepted")
    return yaml.load(text, Loader=_Loader)


def load_all_yaml(text: str) -> list[Any]:
    """Every document of a YAML file of our own, without the empty ones."""
    return [document for document in yaml.load_all(text, Loader=_Loader) if document]


def decode(body: bytes, content_type: str) -> Any:
    """What a request carries, as JSON or YAML; 400 when it is neither."""
    text = body.decode("utf-8", "replace")
    try:
        if "yaml" in content_type and not text.lstrip().startswith("{"):
            return load_yaml(text)
        value = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        raise bad_request(f"the object provided is unrecognized: {error}") from error
    if "\\ud" in text.lower():
        # A lone surrogate is no text that could be stored; Go's decoder replaces it too.
        value = json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    return value


def decode_object(body: bytes, content_type: str) -> dict[str, Any]:
    """Like `decode`, for requests that must carry a map."""
    value = decode(body, content_type)
    if not isinstance(value, dict):
        raise bad_request("the object provided is unrecognized: it is no map of fields")
    return value


def too_large() -> StatusError:
    message = f"Request entity too large: limit is {BODY_LIMIT_BYTES}"
    return StatusError(413, "RequestEntityTooLarge", message)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
