import asyncio

import pytest

from portal.asgi import bounded


def received(*parts, limit=5, kind="http"):
    """What an application that reads until a disconnect is given of `parts`."""
    events = [{"type": "http.request", "body": part, "more_body": True} for part in parts]
    events[-1]["more_body"] = False
    events.append({"type": "http.disconnect"})
    seen = []

    async def application(scope, receive, send):
        while not seen or seen[-1]["type"] != "http.disconnect":
            seen.append(await receive())

    async def receive():
        return events.pop(0)

    asyncio.run(bounded(application, limit)({"type": kind}, receive, None))
    return [(event.get("body"), event.get("more_body")) for event in seen[:-1]]


@pytest.mark.parametrize("parts", [[b""], [b"12345"], [b"12", b"345"], [b"12", b"", b"3"]])
def test_bodies_up_to_the_limit_pass_as_they_are(parts):
    assert received(*parts) == [(part, number < len(parts) - 1) for number, part in enumerate(parts)]


def test_one_byte_too_many_passes_and_tells():
    assert received(b"123456789") == [(b"123456", False)]


def test_what_follows_the_cut_is_dropped():
    assert received(b"123", b"456", b"789", b"abc") == [(b"123", True), (b"456", False)]


def test_other_connections_are_left_alone():
    assert received(b"123456789", kind="websocket") == [(b"123456789", False)]
