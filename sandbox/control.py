"""What a real API server does not have: the clock, the journal and the limits of history, below `/_sandbox`."""

import json

from starlette.requests import Request
from starlette.responses import Response

from sandbox.api import json_response, read_body
from sandbox.clock import micro
from sandbox.cluster import Cluster
from sandbox.errors import bad_request, unknown_path

_LONGEST_TICK_SECONDS = 366 * 86_400


class Control:
    """Answers requests below `/_sandbox`."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    async def handle(self, request: Request) -> Response:
        """`GET clock`, `GET journal`, `POST tick {"seconds": N}`, `POST compact`."""
        match (request.method, request.url.path.removeprefix("/_sandbox/")):
            case ("GET", "clock"):
                return self._clock()
            case ("GET", "journal"):
                lines = "".join(f"{line}\n" for line in self._cluster.store.journal())
                return Response(lines, media_type="application/x-ndjson")
            case ("POST", "tick"):
                await self._cluster.advance(_seconds(await read_body(request)))
                return self._clock()
            case ("POST", "compact"):
                self._cluster.store.compact()
                return self._clock()
        raise unknown_path()

    def _clock(self) -> Response:
        store = self._cluster.store
        return json_response({"now": micro(store.clock.now()), "resourceVersion": str(store.version)})


def _seconds(body: bytes) -> float:
    try:
        seconds = float(json.loads(body)["seconds"])
    except (ValueError, KeyError, TypeError) as error:
        raise bad_request('a tick is {"seconds": N}') from error
    if not 0 <= seconds <= _LONGEST_TICK_SECONDS:
        raise bad_request(f"a tick takes 0 to {_LONGEST_TICK_SECONDS} seconds: the clock never goes back")
    return seconds
