"""No container engine is needed to see that docker-compose.yml runs what the demo runs."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from portal.management.demo.programs import portal_programs

ROOT = Path(__file__).resolve().parents[1]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
PROCESSES = {program.name: program.command for program in portal_programs(8000)}


def test_the_containers_are_the_processes_of_the_demo() -> None:
    assert set(COMPOSE["services"]) == {*PROCESSES, "postgres", "redis", "sandbox", "migrate"}


@pytest.mark.parametrize("name", ["worker", "beat", "watch"])
def test_a_container_runs_the_command_of_the_demo(name: str) -> None:
    command = COMPOSE["services"][name]["command"]
    assert set(command) - {"python", "celery"} <= set(PROCESSES[name])


def test_no_secret_has_a_default() -> None:
    text = (ROOT / "docker-compose.yml").read_text()
    assert "${SECRET_KEY:?" in text
    assert ":-" not in text


def dockerfile() -> list[list[str]]:
    return [line.split() for line in (ROOT / "Dockerfile").read_text().splitlines()]


def test_the_image_does_not_run_as_root() -> None:
    assert [words[1] for words in dockerfile() if words[:1] == ["USER"]] == ["choirmaster"]


def test_what_the_image_copies_is_there_and_not_ignored() -> None:
    sources = {words[1] for words in dockerfile() if words[:1] == ["COPY"] and not words[1].startswith("--")}
    kept = {line.removeprefix("!") for line in (ROOT / ".dockerignore").read_text().splitlines() if line[0] == "!"}
    assert sources == kept
    assert [name for name in sources if not (ROOT / name).exists()] == []
