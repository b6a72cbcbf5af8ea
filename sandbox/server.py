"""The HTTP side: one Starlette application over one cluster."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass

import uvicorn
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from sandbox import discovery
from sandbox.api import Api, json_response, read_body
from sandbox.auth import Act, Gate, User, review
from sandbox.cluster import Cluster, RealTime
from sandbox.control import Control
from sandbox.decoding import decode_object
from sandbox.errors import StatusError, unknown_path
from sandbox.query import whole
from sandbox.visibility import pending_workloads
from sandbox.watch import Pulse

_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
_REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
_PENDING_PAGE = {"limit": 1000, "offset": 0}


@dataclass(frozen=True, slots=True)
class Doors:
    """What the routes need."""

    cluster: Cluster
    api: Api
    control: Control
    gate: Gate

    async def answer(self, request: Request) -> Response:
        """Any request: who asks, then what."""
        try:
            user = self.gate.user(request.headers.get("authorization", ""))
            return await self._dispatch(request, user)
        except StatusError as error:
            return json_response(error.body(), error.code)
        except ClientDisconnect:
            return Response(status_code=400)

    async def _dispatch(self, request: Request, user: User) -> Response:
        path = request.url.path
        if path.startswith("/_sandbox/"):
            return await self.control.handle(request)
        if path == _REVIEWS and request.method == "POST":
            body = decode_object(await read_body(request), "application/json")
            return json_response(review(self.gate, user, body), 201)
        if request.method in ("GET", "HEAD"):
            found = _discover(path)
            if found is not None:
                return json_response(found)
            if path.startswith("/apis/visibility.kueue.x-k8s.io/v1beta2/"):
                return self._pending(path, user, request.query_params)
        if path.startswith("/apis/") and not discovery.knows(path):
            # kube-apiserver's mux has no handler there, and says so without a Status.
            return PlainTextResponse("404 page not found\n", 404)
        return await self.api.handle(request, user)

    def _pending(self, path: str, user: User, query: Mapping[str, str]) -> Response:
        """The positions of pending workloads in a ClusterQueue or in a LocalQueue."""
        match path.split("/")[4:]:
            case ["clusterqueues", name, "pendingworkloads"]:
                namespace, plural = "", "clusterqueues"
            case ["namespaces", namespace, "localqueues", name, "pendingworkloads"]:
                plural = "localqueues"
            case _:
                raise unknown_path()
        act = Act("get", discovery.VISIBILITY[0], f"{plural}/pendingworkloads", namespace, name)
        self.gate.check(user, act)
        if namespace:
            summary = pending_workloads(self.cluster.store, local_queue=name, namespace=namespace)
        else:
            summary = pending_workloads(self.cluster.store, cluster_queue=name)
        limit, offset = (max(whole(query, name, default), 0) for name, default in _PENDING_PAGE.items())
        return json_response(summary | {"items": summary["items"][offset : offset + limit]})


def _discover(path: str) -> dict[str, object] | None:
    """The discovery document at a path, or None when the path is none of discovery's."""
    match path.strip("/").split("/"):
        case ["version"]:
            return dict(discovery.VERSION)
        case ["api"]:
            return discovery.versions()
        case ["api", "v1"]:
            return discovery.resources("", "v1")
        case ["apis"]:
            return discovery.groups()
        case ["apis", group]:
            return discovery.group(group)
        case ["apis", group, version]:
            return discovery.resources(group, version)
    return None


async def _ready(request: Request) -> Response:
    return PlainTextResponse("ok")


async def _broken(request: Request, error: Exception) -> Response:
    """A mistake of ours, as a Status; Starlette raises it again for the log."""
    status = StatusError(500, "InternalError", f"Internal error occurred: {error!r}")
    return json_response(status.body(), 500)


def application(cluster: Cluster, gate: Gate, pulse: Pulse, real_time: RealTime | None) -> Starlette:
    """The application; with `real_time` its clock ticks by itself while it is served."""
    doors = Doors(cluster, Api(cluster, pulse, gate), Control(cluster), gate)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        pulse.attach(asyncio.get_running_loop())
        cluster.store.on_commit(pulse.beat)
        ticking = asyncio.create_task(real_time.run()) if real_time else None
        if ticking:
            # A cluster whose time stands still must not look alive: end, and whoever runs us starts us again.
            ticking.add_done_callback(lambda _: pulse.stop())
        yield
        if ticking:
            ticking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await ticking

    routes = [Route(path, _ready) for path in ("/readyz", "/healthz", "/livez")]
    routes.append(Route("/{path:path}", doors.answer, methods=_METHODS))
    return Starlette(routes=routes, lifespan=lifespan, exception_handlers={Exception: _broken})


class Server(uvicorn.Server):
    """A uvicorn server whose open streams end when it is told to stop, instead of holding it up."""

    def __init__(self, app: Starlette, pulse: Pulse, port: int, host: str = "127.0.0.1") -> None:
        super().__init__(
            uvicorn.Config(
                app,
                host=host,
                port=port,
                log_level="warning",
                server_header=False,
                timeout_graceful_shutdown=1,
                # Long, as kube-apiserver's: a client must not find its idle connection closed as it writes.
                timeout_keep_alive=90,
            )
        )
        self._pulse = pulse

    def stop(self) -> None:
        """End every stream, then the server; callable from any thread."""
        self._pulse.stop()

    async def on_tick(self, counter: int) -> bool:
        return self._pulse.stopped or await super().on_tick(counter)

    def handle_exit(self, sig: int, frame: object) -> None:
        self._pulse.stop()
        super().handle_exit(sig, frame)  # type: ignore[arg-type]
