"""Reads configuration from the environment and fails loudly: a wrong value must stop the start, not surface at 2 a.m.

A secret NAME may stand in the environment itself or in a file that NAME_FILE points to (Docker and Kubernetes secrets).
"""

import os
from pathlib import Path


class ConfigurationError(Exception):
    """A setting is missing or malformed; the text names the variable and what it must look like."""


def env_str(name: str, default: str | None = None) -> str:
    value = os.environ.get(name, default)
    if value is None:
        raise ConfigurationError(f"Set {name}; it has no default.")
    return value


def env_list(name: str, default: str = "") -> list[str]:
    return [item.strip() for item in os.environ.get(name, default).split(",") if item.strip()]


def env_bool(name: str, default: bool = False) -> bool:
    value = os.environ.get(name, "1" if default else "0").strip().lower()
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"0", "false", "no", "off", ""}:
        return False
    raise ConfigurationError(f"{name} is {value!r}; use 1 or 0.")


def env_int(name: str, default: int) -> int:
    value = os.environ.get(name, str(default))
    try:
        return int(value)
    except ValueError as error:
        raise ConfigurationError(f"{name} is {value!r}; use a whole number.") from error


def env_secret(name: str, default: str | None = None) -> str:
    """The secret NAME, or the content of the file named by NAME_FILE without its last newline."""
    path = os.environ.get(f"{name}_FILE")
    if path is None:
        return env_str(name, default)
    try:
        return Path(path).read_text().rstrip("\n")
    except OSError as error:
        raise ConfigurationError(f"{name}_FILE names {path}, which cannot be read: {error.strerror}.") from error
