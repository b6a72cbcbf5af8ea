"""One row per route: what each method asks of the caller. Written from the contract, not from the views."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

from django.urls import URLPattern, URLResolver, get_resolver


class Door(Enum):
    """PAGE: a session; strangers are led to the sign-in. REST: a token; strangers get 401. OPEN: anybody."""

    PAGE = "page"
    REST = "rest"
    OPEN = "open"


class Need(Enum):
    ANYBODY = "anybody"
    SIGNED_IN = "signed in"
    VIEWER = "viewer of the tenant"
    SUBMITTER = "submitter of the tenant"
    AUTHOR = "the job's author, or an owner"
    TOKEN_OWNER = "the person whose token it is"


@dataclass(frozen=True)
class Row:
    """`queries`: query strings that a method understands, beside `query`, which it needs; {uid} is the job's.

    `also`: statuses that only somebody who was let in gets. The matrix has no cluster behind it:
    what needs one answers 503 there.
    """

    door: Door
    methods: Mapping[str, Need]
    queries: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    also: frozenset[int] = frozenset()
    query: str = ""

    def queries_of(self, method: str) -> tuple[str, ...]:
        return (self.query, *self.queries.get("GET" if method == "HEAD" else method, ()))


def page(*parts: str, also: int = 200, **methods: Need) -> Row:
    return Row(Door.PAGE, methods, {"GET": tuple(f"?part={name}" for name in parts)}, frozenset({also}))


def rest(*queries: str, also: int = 200, **methods: Need) -> Row:
    return Row(Door.REST, methods, {"POST": queries}, frozenset({also}))


FORM = Row(
    Door.PAGE,
    {"GET": Need.VIEWER, "POST": Need.SUBMITTER},
    {"GET": ("?part=summary",), "POST": ("?part=summary", "?part=field&f=name")},
)

ROWS: dict[str, Row] = {
    "healthz": Row(Door.OPEN, {"GET": Need.ANYBODY}),
    "tenants:sign-in": Row(Door.OPEN, {"GET": Need.ANYBODY, "POST": Need.ANYBODY}, also=frozenset({422})),
    "tenants:sign-out": page(POST=Need.SIGNED_IN),
    "tenants:home": page(GET=Need.SIGNED_IN),
    "tenants:tenant-list": page(GET=Need.SIGNED_IN),
    "tenants:token-list": page(also=422, GET=Need.SIGNED_IN, POST=Need.SIGNED_IN),
    "tenants:token-revoke": page(GET=Need.TOKEN_OWNER, POST=Need.TOKEN_OWNER),
    "jobs:tenant-home": page(GET=Need.VIEWER),
    "jobs:submission-list": page("table", GET=Need.VIEWER),
    "jobs:template-list": page(GET=Need.VIEWER),
    "jobs:submission-create": FORM,
    "jobs:submission-detail": page("header", "why", "timeline", "replicas", "events", GET=Need.VIEWER),
    "jobs:submission-logs": page("log", GET=Need.VIEWER),
    "jobs:submission-replicas": page(GET=Need.VIEWER),
    "jobs:submission-events": page(GET=Need.VIEWER),
    "jobs:submission-manifest": page(GET=Need.VIEWER),
    "jobs:submission-logs-live": page(GET=Need.VIEWER),
    "jobs:submission-logs-raw": page(also=503, GET=Need.VIEWER),
    "jobs:submission-cancel": page(GET=Need.AUTHOR, POST=Need.AUTHOR),
    "jobs:live": Row(Door.PAGE, {"GET": Need.VIEWER}, query="?c=submission.{uid}"),
    "api:openapi": Row(Door.OPEN, {"GET": Need.ANYBODY}),
    "api:template-list": rest(GET=Need.VIEWER),
    "api:template-detail": rest(GET=Need.VIEWER),
    "api:submission-collection": rest("?dry_run=1", also=503, GET=Need.VIEWER, POST=Need.SUBMITTER),
    "api:submission-detail": rest(GET=Need.VIEWER),
    "api:submission-cancel": rest(POST=Need.AUTHOR),
    "api:submission-logs": rest(GET=Need.VIEWER),
    "api:submission-events": rest(GET=Need.VIEWER),
}


def routes() -> dict[str, str]:
    """Every URL pattern of the project by its full name: the route with its <parameters>."""
    return dict(_walk(get_resolver(), "", ""))


def _walk(resolver: URLResolver, namespace: str, prefix: str) -> Iterator[tuple[str, str]]:
    for pattern in resolver.url_patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield f"{namespace}{pattern.name or route}", route
        else:
            inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            yield from _walk(pattern, inner, route)
