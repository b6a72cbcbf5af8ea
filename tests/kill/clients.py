"""CI scripts that repeat a call, with its key, until they have an answer, and once more after that."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from uuid import UUID

import httpx

from portal.management.smoke.rest import Rest

GIVE_UP_SECONDS = 90
VALUES = {"model": "m", "workers": 1, "gpus_per_worker": 1}


@dataclass
class Answers:
    """`uids`: each key's distinct jobs, which must be one. `repeats`: calls that had to be or were made again."""

    uids: dict[str, set[UUID]] = field(default_factory=dict)
    repeats: int = 0
    faults: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, key: str, uid: UUID) -> None:
        with self.lock:
            self.uids.setdefault(key, set()).add(uid)

    def note_repeat(self) -> None:
        with self.lock:
            self.repeats += 1


def submit_all(rest: Rest, template: str, count: int, seconds: float) -> Answers:
    """`count` submissions spread evenly over `seconds`; returns when each has its answers."""
    answers = Answers()
    began = time.monotonic()
    with ThreadPoolExecutor(16, "client") as pool:
        for number in range(count):
            pool.submit(_client, rest, template, number, began + number * seconds / count, answers)
    return answers


def _client(rest: Rest, template: str, number: int, at: float, answers: Answers) -> None:
    time.sleep(max(0.0, at - time.monotonic()))
    key = f"kill-{number}"
    body = {"template": template, "name": f"kill {number}", "values": VALUES}
    try:
        for again in (False, True):
            if again:
                answers.note_repeat()
            answers.note(key, _submit(rest, body, key, answers))
    except Exception as error:
        answers.faults.append(f"{key}: {error!r}")


def _submit(rest: Rest, body: dict[str, object], key: str, answers: Answers) -> UUID:
    """Repeats the call as long as nothing or a server's error comes back."""
    end = time.monotonic() + GIVE_UP_SECONDS
    while True:
        try:
            answer = rest.http.post("jobs/", json=body, headers={"Idempotency-Key": key}, timeout=5)
            if answer.status_code < 500:
                assert answer.status_code in {200, 201}, f"HTTP {answer.status_code}: {answer.text[:500]}"
                return UUID(answer.json()["uid"])
        except httpx.TransportError:
            pass
        assert time.monotonic() < end, f"no answer within {GIVE_UP_SECONDS} s"
        answers.note_repeat()
        time.sleep(0.5)
