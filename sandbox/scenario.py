"""Scenarios: how a rehearsed pod ends, read from annotations of its template.

Every key is an annotation `rehearsal.choirmaster.dev/<key>` of the pod, put there by the job's pod template.

| key             | value        | effect                                                                             |
|-----------------|--------------|------------------------------------------------------------------------------------|
| `succeed-after` | seconds      | the container exits 0 after running that long; 60 where nothing else is set         |
| `crash-after`   | seconds      | it exits with `crash-code` after running that long, at every start                  |
| `crash-code`    | 1 to 255     | the exit code of a crash; 1 where it is not set                                     |
| `crash-replica` | index        | only this replica crashes; all of them where it is not set                          |
| `hang`          | `true`       | it prints its first lines, then nothing, and runs for ever                          |
| `oom-after`     | seconds      | it is killed for want of memory (137, OOMKilled) after running that long            |
| `oom-replica`   | index        | only this replica runs out of memory; all of them where it is not set               |
| `missing-image` | `true`       | its image is never found (ErrImagePull, then ImagePullBackOff)                      |
| `start-delay`   | seconds      | the image takes that much longer to arrive                                          |

Seconds are numbers from 0 to 31536000 (a year). An unknown key or a bad value has no effect; `parse` reports it, and
the kubelet writes it as a Warning event on the pod.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

PREFIX = "rehearsal.choirmaster.dev/"
DEFAULT_SECONDS = 60.0
LONGEST_SECONDS = 365 * 24 * 3600.0
LARGEST_REPLICA = 9999


@dataclass(frozen=True)
class Ending:
    """How a container ends: after how many seconds of running, with which code and reason."""

    seconds: float
    code: int
    reason: str


@dataclass(frozen=True)
class Scenario:
    """The scenario of one pod; `ending` is None for a container that runs for ever."""

    ending: Ending | None = Ending(DEFAULT_SECONDS, 0, "Completed")
    hang: bool = False
    missing_image: bool = False
    start_delay: float = 0.0


def _seconds(text: str) -> float:
    value = float(text)
    if not math.isfinite(value) or not 0 <= value <= LONGEST_SECONDS:
        raise ValueError("must be a number of seconds from 0 to 31536000")
    return value


def _code(text: str) -> int:
    value = int(text)
    if not 1 <= value <= 255:
        raise ValueError("must be an exit code from 1 to 255")
    return value


def _replica(text: str) -> int:
    value = int(text)
    if not 0 <= value <= LARGEST_REPLICA:
        raise ValueError(f"must be a replica index from 0 to {LARGEST_REPLICA}")
    return value


def _flag(text: str) -> bool:
    if text not in {"true", "false"}:
        raise ValueError('must be "true" or "false"')
    return text == "true"


_READERS: dict[str, Callable[[str], float | int | bool]] = {
    "succeed-after": _seconds,
    "crash-after": _seconds,
    "crash-code": _code,
    "crash-replica": _replica,
    "hang": _flag,
    "oom-after": _seconds,
    "oom-replica": _replica,
    "missing-image": _flag,
    "start-delay": _seconds,
}


def parse(annotations: Mapping[str, str], replica: int) -> tuple[Scenario, list[str]]:
    """Return the scenario of replica number `replica`, and one sentence for every annotation that was ignored."""
    values: dict[str, float | int | bool] = {}
    problems: list[str] = []
    for annotation, text in sorted(annotations.items()):
        if not annotation.startswith(PREFIX):
            continue
        reader = _READERS.get(annotation.removeprefix(PREFIX))
        if reader is None:
            problems.append(f"Annotation {annotation} is ignored: known keys are {', '.join(_READERS)}")
            continue
        try:
            values[annotation.removeprefix(PREFIX)] = reader(text.strip())
        except ValueError as error:
            problems.append(f"Annotation {annotation} is ignored: {text!r}: {error}")
    return _scenario(values, replica), problems


def _scenario(values: Mapping[str, float | int | bool], replica: int) -> Scenario:
    endings = []
    if "succeed-after" in values:
        endings.append(Ending(float(values["succeed-after"]), 0, "Completed"))
    if "crash-after" in values and values.get("crash-replica", replica) == replica:
        endings.append(Ending(float(values["crash-after"]), int(values.get("crash-code", 1)), "Error"))
    if "oom-after" in values and values.get("oom-replica", replica) == replica:
        endings.append(Ending(float(values["oom-after"]), 137, "OOMKilled"))
    hang = bool(values.get("hang"))
    failures = [ending for ending in endings if ending.code]
    first = min(failures or endings or [Ending(DEFAULT_SECONDS, 0, "Completed")], key=lambda ending: ending.seconds)
    return Scenario(
        ending=None if hang else first,
        hang=hang,
        missing_image=bool(values.get("missing-image")),
        start_delay=float(values.get("start-delay", 0.0)),
    )
