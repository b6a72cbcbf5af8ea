"""A container's log as it grows, for the event loop: many people may watch, and none of them costs a thread."""

from collections.abc import AsyncGenerator, AsyncIterator

import httpx

from portal.kube.client import CONNECT_SECONDS, Cluster, log_query
from portal.kube.errors import ClusterUnavailable, from_answer
from portal.kube.kinds import POD
from portal.names import FIELD_MANAGER

# A quiet job is no fault: after this long without a line the request is simply made again.
SILENCE_SECONDS = 60


async def follow_log(
    cluster: Cluster, namespace: str, pod: str, *, container: str, tail_lines: int | None = None, since_time: str = ""
) -> AsyncGenerator[bytes]:
    """Lines with their time in front, until the container ends, the log is rotated away or nothing comes for a minute.

    `since_time` has the resolution of seconds: the first lines may be known already. Raises as Cluster.logs does.
    """
    query = log_query(container=container, tail_lines=tail_lines, since_time=since_time) | {"follow": "true"}
    timeout = httpx.Timeout(SILENCE_SECONDS, connect=CONNECT_SECONDS)
    headers = {"Authorization": f"Bearer {cluster.token()}", "User-Agent": FIELD_MANAGER}
    try:
        async with (
            httpx.AsyncClient(verify=cluster.tls, timeout=timeout, trust_env=False) as client,
            client.stream(
                "GET", cluster.url + POD.path(namespace, pod, "log"), params=query, headers=headers
            ) as answer,
        ):
            if answer.status_code >= 400:
                text = (await answer.aread()).decode(errors="replace")
                raise from_answer(answer.status_code, text, answer.headers.get("Retry-After"))
            async for line in _lines(answer):
                yield line
    except httpx.ReadTimeout:
        return
    except httpx.HTTPError as error:
        raise ClusterUnavailable(f"The log of {pod} broke off: {error}") from error


async def _lines(answer: httpx.Response) -> AsyncIterator[bytes]:
    rest = b""
    async for chunk in answer.aiter_bytes():
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line
    if rest:
        yield rest
