"""The custom resource as it was sent, as YAML."""

import re
from collections.abc import Mapping
from typing import Any

import yaml
from django.http import HttpResponse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from jobs.models import Submission

# People look for these first; jsonb keeps no order of its own.
_FIRST = ("apiVersion", "kind", "metadata", "name", "namespace", "image", "command", "args")
_KEY = re.compile(r"^([ -]*)([^\s:][^:]*)(:)(.*)$")


def manifest_context(submission: Submission) -> Mapping[str, Any]:
    return {
        "job": submission,
        "lines": format_html_join("\n", "{}", ((_line(line),) for line in _text(submission).splitlines())),
    }


def plain_manifest(submission: Submission) -> HttpResponse:
    """As text, to be copied or piped into kubectl."""
    return HttpResponse(_text(submission), content_type="text/plain; charset=utf-8")


def _text(submission: Submission) -> str:
    return yaml.safe_dump(_ordered(submission.manifest), sort_keys=False, allow_unicode=True, width=1000)


def _ordered(node: Any) -> Any:
    if isinstance(node, Mapping):
        keys = sorted(node, key=lambda key: (_FIRST.index(key) if key in _FIRST else len(_FIRST), key))
        return {key: _ordered(node[key]) for key in keys}
    return [_ordered(item) for item in node] if isinstance(node, list) else node


def _line(line: str) -> SafeString:
    match = _KEY.match(line)
    if match is None:
        return format_html("{}", line)
    return format_html('{}<span class="key">{}</span>{}{}', *match.groups())
