"""A row of the policy's table, and the checks that rows are made of. A check returns a sentence, or "" for yes."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from jobs.spec.text import bad_character
from portal.quantity import BadQuantity, parse

Check = Callable[[Any], str]

_ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
# They steer the container runtime, the dynamic linker, or what a client library takes for the API server.
_ENV_FORBIDDEN = ("NVIDIA_", "LD_", "KUBERNETES_")
# The kernel's and kubelet's own trees; runc CVE-2024-21626 shows what a path below /proc can do.
_NOT_MOUNTABLE = ("/proc", "/sys", "/dev", "/var/run/secrets", "/run/secrets")


class Verdict(StrEnum):
    ALLOW = "allow"  # may be there when its check agrees
    REQUIRE = "require"  # must be there, and its check agree
    FORCE = "force"  # must be there with the row's value, which `force` writes


@dataclass(frozen=True)
class Rule:
    """`path`: one step per key; "[]" is any entry of a list, "~…" a key that the regular expression matches whole."""

    path: tuple[str, ...]
    verdict: Verdict
    why: str = ""
    value: Any = None  # of FORCE
    check: Check = lambda value: ""

    def covers(self, path: tuple[str, ...]) -> bool:
        return len(path) == len(self.path) and all(map(step_matches, self.path, path))

    def __str__(self) -> str:
        return ".".join(step.removeprefix("~") for step in self.path)


def step_matches(step: str, key: str) -> bool:
    return re.fullmatch(step[1:], key) is not None if step.startswith("~") else step == key


def matches(pattern: str, sentence: str) -> Check:
    compiled = re.compile(pattern)
    return lambda value: "" if isinstance(value, str) and compiled.fullmatch(value) else sentence


def between(least: int, most: int) -> Check:
    def check(value: Any) -> str:
        whole = isinstance(value, int) and not isinstance(value, bool)
        return "" if whole and least <= value <= most else f"Use a whole number from {least} to {most}."

    return check


def one_of(*choices: object) -> Check:
    def check(value: Any) -> str:
        same = any(value == choice and type(value) is type(choice) for choice in choices)
        return "" if same else f"Use {' or '.join(map(str, choices))}."

    return check


def printable(value: Any) -> str:
    return bad_character(value, lines=True) if isinstance(value, str) else "Use text."


def amount(resource: str) -> Check:
    def check(value: Any) -> str:
        try:
            return "" if parse(str(value), resource) > 0 else "Use more than 0."
        except BadQuantity as error:
            return str(error)

    return check


def environment_name(value: Any) -> str:
    if not isinstance(value, str) or not _ENV_NAME.fullmatch(value):
        return "Name a variable with letters, digits and _ (at most 128), not beginning with a digit."
    if value.upper().startswith(_ENV_FORBIDDEN):
        return f"{value} is not for jobs to set; names that begin with {', '.join(_ENV_FORBIDDEN)} are refused."
    return ""


def mount_path(value: Any) -> str:
    if not isinstance(value, str) or not value.startswith("/") or ":" in value or bad_character(value):
        return "Mount at an absolute path without a colon."
    steps = [step for step in value.split("/") if step not in {"", "."}]
    clean = "/" + "/".join(steps)
    inside = any(clean == tree or clean.startswith(f"{tree}/") for tree in _NOT_MOUNTABLE)
    if ".." in steps or not steps or (inside and clean != "/dev/shm"):
        return "Mount elsewhere: not at /, through .., or in the system's own trees (only /dev/shm is free there)."
    return ""
