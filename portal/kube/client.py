"""A cluster and the handful of verbs that we use on it. Objects go in and come out as plain dicts."""

import json
import ssl
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import urllib3
from django.conf import settings
from kubernetes.client import Configuration
from kubernetes.client.exceptions import ApiException
from kubernetes.client.rest import RESTClientObject

from portal.kube.errors import ClusterUnavailable, KindMissing, NotFound, from_answer
from portal.kube.kinds import POD, Kind, Object, Ref, kind_of, ref_of
from portal.names import FIELD_MANAGER

CONNECT_SECONDS = 5
READ_SECONDS = 10
# Bookmarks arrive about once a minute (Kubernetes 1.36, apiserver storage/cacher): a longer silence is a dead peer.
WATCH_READ_SECONDS = 70
APPLY_PATCH = "application/apply-patch+yaml"


@dataclass(frozen=True)
class Listing:
    """A complete list: every page, of one snapshot. A watch continues from `resource_version`."""

    items: list[Object]
    resource_version: str


class Cluster:
    """One API server. Safe to share between threads. Every method raises the errors of portal.kube.errors."""

    def __init__(self, *, url: str, token_file: str, ca_file: str = "") -> None:
        self.url = url.rstrip("/")
        self.ca_file = ca_file
        self._token_file = token_file
        self._token = ""
        configuration = Configuration(host=self.url)
        configuration.ssl_ca_cert = ca_file or None
        configuration.retries = False  # the caller decides what may be repeated
        configuration.connection_pool_maxsize = 16
        if urlsplit(self.url).hostname in {"127.0.0.1", "::1", "localhost"}:
            configuration.proxy = None  # a proxy of the environment cannot know our loopback
        self._rest: Any = RESTClientObject(configuration)  # the official client ships no types

    def ask_ready(self) -> None:
        """Raises ClusterUnavailable unless the API server says that it is ready."""
        self._request("GET", "/readyz", {})

    def get(self, ref: Ref) -> Object:
        """The object. Raises NotFound."""
        return self._json("GET", ref.path)

    def list(self, kind: Kind, namespace: str | None = None, label_selector: str = "", limit: int = 500) -> Listing:
        """Every object of a kind, in one namespace or in all of them: all pages, or an error; never a part."""
        query = {"limit": str(limit)}
        if label_selector:
            query["labelSelector"] = label_selector
        items: list[Object] = []
        while True:
            page = self._json("GET", kind.path(namespace), query)
            items += page.get("items") or []
            metadata = page.get("metadata") or {}
            if not metadata.get("continue"):
                return Listing(items, str(metadata.get("resourceVersion") or ""))
            query["continue"] = metadata["continue"]

    def create(self, obj: Object, *, dry_run: bool = False) -> Object:
        """The object as stored. Unknown and repeated fields are refused. Raises AlreadyExists, Rejected."""
        query = {"fieldManager": FIELD_MANAGER, "fieldValidation": "Strict"}
        if dry_run:
            query["dryRun"] = "All"
        return self._json("POST", kind_of(obj).path(obj["metadata"].get("namespace")), query, obj)

    def apply(self, obj: Object) -> Object:
        """Server-side apply as our field manager: what we owned and now leave out is removed. Raises Conflict."""
        query = {"fieldManager": FIELD_MANAGER, "force": "false", "fieldValidation": "Strict"}
        return self._json("PATCH", ref_of(obj).path, query, obj, content_type=APPLY_PATCH)

    def delete(self, ref: Ref, *, uid: str) -> bool:
        """Ask for the deletion of the object with this uid, its dependents in the background.

        False when there is no such object any more. True when it was asked for: poll with `get` until NotFound.
        Raises Conflict when the name belongs to another uid.
        """
        options: Object = {
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "propagationPolicy": "Background",
            "preconditions": {"uid": uid},
        }
        try:
            self._json("DELETE", ref.path, body=options)
        except NotFound:
            return False
        return True

    def logs(
        self,
        namespace: str,
        pod: str,
        *,
        container: str,
        tail_lines: int | None = None,
        since_time: str = "",
        previous: bool = False,
        limit_bytes: int | None = None,
        read_seconds: int = READ_SECONDS,
    ) -> bytes:
        """What the container printed so far, a time (RFC 3339, nanoseconds) and a space before each line.

        `read_seconds` bounds a silence, for readers who cannot wait. Raises NotFound when the pod is gone, and
        Rejected (code 400) while there is no log yet: the message says why.
        """
        path = POD.path(namespace, pod, "log")
        query = log_query(container=container, tail_lines=tail_lines, since_time=since_time, previous=previous)
        if limit_bytes is not None:
            query["limitBytes"] = str(limit_bytes)
        return self._request("GET", path, query, read_seconds=read_seconds)

    def pending_workloads(self, visibility: Kind, cluster_queue: str) -> Sequence[Object]:
        """Kueue's visibility API: the queue's pending Workloads, in any order. `visibility` comes from discovery."""
        path = visibility.path(name=cluster_queue, subresource="pendingworkloads")
        found = self._json("GET", path, {"limit": "1000"})
        return [item for item in found.get("items") or [] if isinstance(item, dict)]

    def api_versions(self, group: str) -> Sequence[str]:
        """The served versions of an API group, the preferred one first; [] where the group is not installed."""
        try:
            found = self._json("GET", f"/apis/{group}")
        except (KindMissing, NotFound):
            return []
        preferred = (found.get("preferredVersion") or {}).get("version")
        versions = [str(item.get("version")) for item in found.get("versions") or []]
        return sorted(versions, key=lambda version: version != preferred)

    def resources(self, kind: Kind) -> set[str]:
        """What the kind's group and version serve: plurals, and subresources as "pods/log". Raises KindMissing."""
        found = self._json("GET", kind.root).get("resources") or []
        return {str(item.get("name")) for item in found}

    def watch_lines(self, kind: Kind, *, resource_version: str, label_selector: str, seconds: int) -> Iterator[bytes]:
        """The lines of one watch request until the server ends it. A silence too long is ClusterUnavailable."""
        query = {
            "watch": "1",
            "allowWatchBookmarks": "true",
            "resourceVersion": resource_version,
            "timeoutSeconds": str(seconds),
        }
        if label_selector:
            query["labelSelector"] = label_selector
        response = self._open("GET", kind.path(), query, read_seconds=WATCH_READ_SECONDS)
        try:
            yield from _lines(response)
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise ClusterUnavailable(f"The watch of {kind} broke off: {error}") from error
        finally:
            response.close()

    @cached_property
    def tls(self) -> ssl.SSLContext:
        """What a second client needs to trust this cluster."""
        return ssl.create_default_context(cafile=self.ca_file or None)

    def token(self) -> str:
        """The bearer token as the file has it now. Raises ClusterUnavailable when it cannot be read."""
        try:
            return Path(self._token_file).read_text().strip()
        except OSError as error:
            raise ClusterUnavailable(f"The token file {self._token_file} cannot be read: {error.strerror}.") from error

    def _json(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: Object | None = None,
        *,
        content_type: str = "application/json",
    ) -> Object:
        data = self._request(method, path, query or {}, body, content_type=content_type)
        try:
            answer = json.loads(data)
        except ValueError as error:
            raise ClusterUnavailable(f"{method} {path} answered something that is no JSON.") from error
        if not isinstance(answer, dict):
            raise ClusterUnavailable(f"{method} {path} answered JSON that is no object.")
        return answer

    def _request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: Object | None = None,
        *,
        content_type: str = "application/json",
        read_seconds: int = READ_SECONDS,
    ) -> bytes:
        response = self._open(method, path, query, body, content_type=content_type, read_seconds=read_seconds)
        try:
            data: bytes = response.data
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise ClusterUnavailable(f"{method} {path} broke off: {error}") from error
        finally:
            response.release_conn()
        return data

    def _open(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: Object | None = None,
        *,
        content_type: str = "application/json",
        read_seconds: int = READ_SECONDS,
    ) -> urllib3.BaseHTTPResponse:
        """The answer, its body unread. An answer of 401 is asked once more with the token that the file then has."""
        url = f"{self.url}{path}?{urlencode(query)}" if query else f"{self.url}{path}"
        for last in (False, True):
            self._token = self.token() if last or not self._token else self._token
            headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json, */*"}
            headers |= {"User-Agent": FIELD_MANAGER} | ({"Content-Type": content_type} if body is not None else {})
            try:
                answer = self._rest.request(
                    method, url, headers, body, _request_timeout=(CONNECT_SECONDS, read_seconds)
                )
                response: urllib3.BaseHTTPResponse = answer.response
                if response.status < 400:
                    return response
                text = response.data.decode(errors="replace")
            except (urllib3.exceptions.HTTPError, ApiException, OSError) as error:
                raise ClusterUnavailable(f"The cluster at {self.url} does not answer: {error}") from error
            if response.status != 401 or last:
                break
        raise from_answer(response.status, text, response.headers.get("Retry-After"))


def log_query(
    *, container: str, tail_lines: int | None = None, since_time: str = "", previous: bool = False
) -> dict[str, str]:
    """The query of a log request. Times are always asked for: a line is known by its time."""
    query = {"container": container, "timestamps": "true"}
    if tail_lines is not None:
        query["tailLines"] = str(tail_lines)
    if since_time:
        query["sinceTime"] = since_time
    if previous:
        query["previous"] = "true"
    return query


def cluster_from_settings() -> Cluster:
    """The one cluster that this portal talks to (CLUSTER_URL, CLUSTER_TOKEN_FILE, CLUSTER_CA_FILE)."""
    return _cluster(settings.CLUSTER_URL, settings.CLUSTER_TOKEN_FILE, settings.CLUSTER_CA_FILE)


@cache
def _cluster(url: str, token_file: str, ca_file: str) -> Cluster:
    return Cluster(url=url, token_file=token_file, ca_file=ca_file)


def _lines(response: urllib3.BaseHTTPResponse) -> Iterator[bytes]:
    rest = b""
    for chunk in response.stream(None):
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines
