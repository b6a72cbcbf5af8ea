"""The habits that no other tool holds: sizes, names, what templates may contain, what no file may mention."""

import ast
import hashlib
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps

from tenants.models import Tenant

ROOT = Path(__file__).resolve().parents[1]
LINES = {".py": 400, ".css": 150, ".js": 80, ".html": 120}
FUNCTION_LINES, TEST_LINES = 50, 30
FORBIDDEN_NAMES = {"utils", "helpers", "common", "misc", "core", "managers"}
IN_TEMPLATES = {
    "a style of its own": re.compile(r"<style\b|\sstyle\s*=", re.IGNORECASE),
    "a script of its own": re.compile(r"<script(?![^>]*\ssrc=)[^>]*>|javascript:", re.IGNORECASE),
    "an event handler": re.compile(r"<[^>]*\s(?:on[a-z]+|hx-on[:\w-]*)\s*=", re.IGNORECASE),
}
# Written in pieces, so that this file does not mention what no file may.
MACHINE_PATHS = re.compile("|".join(("/work" + "/", "/root" + "/", "/tmp/" + "w/", "/home/" + r"[a-z]+/")))
INDEX_HOSTS = re.compile(
    "|".join(("pypi" + r"\.org", "pythonhosted" + r"\.org", "npmjs" + r"\.(?:org|com)", "crates" + r"\.io"))
)


def _files() -> list[Path]:
    """What is in the repository or about to be; third parties' files have their own rules."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    paths = (ROOT / name for name in listed.stdout.splitlines())
    return [path for path in paths if path.is_file() and not _is_vendored(path)]


def _is_vendored(path: Path) -> bool:
    return any((folder / "vendor.toml").exists() for folder in (path.parent, path.parent.parent))


FILES = _files()


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _sources() -> Iterator[Path]:
    return (path for path in FILES if path.suffix == ".py" and "migrations" not in path.parts)


def _text_files() -> Iterator[tuple[str, str]]:
    for path in FILES:
        try:
            yield _name(path), path.read_text()
        except UnicodeDecodeError:
            continue


def _functions(path: Path) -> Iterator[tuple[str, int]]:
    """Name and length in lines, decorators not counted."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


def test_no_file_is_too_long() -> None:
    long = [
        f"{_name(path)} has {count} lines, at most {LINES[path.suffix]}"
        for path in FILES
        if path.suffix in LINES and (count := len(path.read_text().splitlines())) > LINES[path.suffix]
    ]
    assert long == []


def test_no_function_is_too_long() -> None:
    long = [
        f"{_name(path)}: {function} has {count} lines, at most {limit}"
        for path in _sources()
        for function, count in _functions(path)
        if count > (limit := TEST_LINES if function.startswith("test_") else FUNCTION_LINES)
    ]
    assert long == []


def test_no_module_is_a_drawer() -> None:
    assert [_name(path) for path in _sources() if FORBIDDEN_NAMES & {path.stem, path.parent.name}] == []


@pytest.mark.parametrize("what", IN_TEMPLATES)
def test_templates_hold_nothing_that_the_content_security_policy_forbids(what: str) -> None:
    found = [_name(path) for path in FILES if path.suffix == ".html" and IN_TEMPLATES[what].search(path.read_text())]
    assert found == []


def test_vendored_files_are_those_of_their_origin() -> None:
    wrong = []
    for listing in ROOT.glob("*/*/vendor.toml"):
        for name, digest in _digests(tomllib.loads(listing.read_text())):
            file = listing.parent / name
            if not file.is_file() or hashlib.sha256(file.read_bytes()).hexdigest() != digest:
                wrong.append(_name(file))
    assert wrong == []


def _digests(node: object) -> Iterator[tuple[str, str]]:
    """Every (file, sha256) in a vendor.toml."""
    if isinstance(node, dict):
        if "file" in node and "sha256" in node:
            yield node["file"], node["sha256"]
        for value in node.values():
            yield from _digests(value)
    elif isinstance(node, list):
        for value in node:
            yield from _digests(value)


@pytest.mark.parametrize("pattern", [MACHINE_PATHS, INDEX_HOSTS], ids=["paths of a machine", "package index hosts"])
def test_no_file_mentions(pattern: re.Pattern[str]) -> None:
    assert [f"{name}: {found[0]}" for name, text in _text_files() if (found := pattern.search(text))] == []


def test_every_translator_has_its_test_module() -> None:
    translators = {path.stem for path in (ROOT / "jobs/translators").glob("*.py")} - {"__init__", "base"}
    tested = {path.stem.removeprefix("test_") for path in (ROOT / "tests/jobs").rglob("test_*.py")}
    assert translators - tested == set()


# Looked up by its key inside one service and shown to nobody.
NEVER_SHOWN = {"jobs.IdempotencyKey"}


def test_rows_of_a_tenant_can_be_narrowed_to_their_reader() -> None:
    owned = [
        model
        for model in apps.get_models()
        if any(field.is_relation and field.related_model is Tenant for field in model._meta.concrete_fields)
    ]
    open_to_all = {model._meta.label for model in owned if not hasattr(model._meta.default_manager, "visible_to")}
    assert open_to_all - NEVER_SHOWN == set()


def test_every_setting_is_documented() -> None:
    read = set(re.findall(r'env_(?:str|list|bool|int|secret)\(\s*"(\w+)"', (ROOT / "portal/settings.py").read_text()))
    documented = set(re.findall(r"^\| `(\w+)`", (ROOT / "docs/settings.md").read_text(), re.MULTILINE))
    assert read == documented
