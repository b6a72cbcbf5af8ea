"""The live log, from a sandbox over HTTP."""

import asyncio
import json
from contextlib import aclosing

import pytest
from django.utils import timezone

from jobs.logs import following, tail
from jobs.logs.following import END, stream
from jobs.models import Pod
from portal import live
from portal.errors import NotFound
from tests.jobs.logs.conftest import Printing


def messages(items: list[bytes]) -> list[dict[str, str]]:
    """The lines of all messages."""
    found = []
    for item in items:
        for field in item.decode().splitlines():
            if field.startswith("data: ["):
                found += json.loads(field.removeprefix("data: "))
    return found


def last_id(items: list[bytes]) -> str:
    ids = [field for item in items for field in item.decode().splitlines() if field.startswith("id: ")]
    return ids[-1].removeprefix("id: ")


async def read(printing: Printing, pod: Pod, *, after: str = "", allowed=lambda: True, enough=None) -> list[bytes]:
    found = []
    generator = stream(printing.control.cluster, printing.submission, pod, after=after, allowed=allowed)
    async with aclosing(generator) as items:
        async for item in items:
            found.append(item)
            if enough and enough(found):
                break
    return found


def run(coroutine) -> list[bytes]:
    return asyncio.run(asyncio.wait_for(coroutine, 20))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "REST_SECONDS", 0.1)
    monkeypatch.setattr(live, "PING_SECONDS", 0.3)


def test_lines_then_the_end(printing: Printing) -> None:
    printing.control.until(printing.submission.uid, "succeeded")
    pod = printing.pod(2)
    found = run(read(printing, pod))
    assert found[0] == live.RETRY
    assert found[-1] == END
    printed = tail(printing.control.cluster, printing.submission, pod, lines=200).lines
    assert [line["text"] for line in messages(found)] == [line.text for line in printed]


def test_a_new_connection_repeats_nothing(printing: Printing) -> None:
    pod = printing.pod()
    first = run(read(printing, pod, enough=messages))
    printing.control.until(printing.submission.uid, "succeeded")
    second = run(read(printing, pod, after=last_id(first)))
    printed = tail(printing.control.cluster, printing.submission, pod, lines=None).lines
    assert [line["text"] for line in messages(first) + messages(second)] == [line.text for line in printed]
    assert messages(second)


def test_lines_that_are_printed_meanwhile(printing: Printing) -> None:
    pod = printing.pod()
    before = len(tail(printing.control.cluster, printing.submission, pod, lines=None).lines)

    async def follow() -> list[bytes]:
        reading = asyncio.create_task(read(printing, pod, enough=lambda found: len(messages(found)) > before))
        await asyncio.sleep(0.5)
        await asyncio.to_thread(printing.control.sandbox.tick, 10)
        return await reading

    assert len(messages(run(follow()))) > before


def no_member() -> None:
    raise NotFound


@pytest.mark.parametrize("answer", [lambda: False, no_member], ids=["no", "not found"])
def test_it_ends_when_access_does(answer, printing: Printing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "RECHECK_SECONDS", 0.0)
    found = run(read(printing, printing.pod(), allowed=answer))
    assert (messages(found), found[-1]) == ([], END)


def test_a_pod_that_is_gone_ends_it(printing: Printing) -> None:
    Pod.objects.update(gone_at=timezone.now())
    pod = printing.pod()
    pod.name = "another"
    assert run(read(printing, pod)) == [live.RETRY, live.PING, END]


def test_it_lives_for_a_bounded_time(printing: Printing, settings) -> None:
    settings.STREAM_MAX_SECONDS = 1
    assert END not in run(read(printing, printing.pod()))


def test_a_reader_who_leaves_frees_the_slot(printing: Printing, settings) -> None:
    settings.STREAMS_PER_USER = 1
    person, pod = printing.submission.author.uid, printing.pod()

    async def leave() -> list[bytes]:
        slot = await asyncio.to_thread(live.claim, person)
        items = stream(printing.control.cluster, printing.submission, pod, allowed=lambda: True, slot=slot)
        async with aclosing(items):
            return [await anext(items), await anext(items)]

    run(leave())
    live.claim(person)
