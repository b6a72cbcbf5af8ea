"""The web process: uvicorn portal.asgi:application."""

import os
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from django.conf import settings
from django.core.asgi import get_asgi_application

Event = Mapping[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]
Application = Callable[[dict[str, Any], Receive, Send], Awaitable[None]]


def bounded(application: Application, limit: int) -> Application:
    """`application`, which is given at most `limit` + 1 bytes of any body, chunked ones too.

    Django spools a whole body to disk before its first middleware runs. The byte too many tells
    portal.http.BodyLimitMiddleware to refuse; what follows is dropped as it comes in.
    """

    async def cut(scope: dict[str, Any], receive: Receive, send: Send) -> None:
        await application(scope, _Cutter(receive, limit + 1) if scope["type"] == "http" else receive, send)

    return cut


class _Cutter:
    def __init__(self, receive: Receive, room: int) -> None:
        self.receive = receive
        self.room = room
        self.ended = False

    async def __call__(self) -> Event:
        event = await self.receive()
        while self.ended and event["type"] == "http.request":
            event = await self.receive()
        if event["type"] != "http.request":
            return event
        body = event.get("body", b"")[: self.room]
        self.room -= len(body)
        self.ended = self.room == 0 or not event.get("more_body", False)
        return {"type": "http.request", "body": body, "more_body": not self.ended}


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
application = bounded(get_asgi_application(), settings.MAX_BODY_BYTES)
