"""What the OpenAPI document says of every operation beside its own parameters and answers."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema

from jobs.api.serializers import ProblemOutput, Strict

Operation = TypeVar("Operation", bound=Callable[..., Any])
PROBLEM = "application/problem+json"

ALWAYS = {
    400: "The query string or the body cannot be read.",
    401: "The token is missing, wrong, expired or revoked.",
    403: "Your role or the token's is too low; the message names the one that is needed.",
    404: "There is nothing here, or it belongs to another tenant.",
    429: "Too many requests, where an installation limits them; wait for Retry-After seconds.",
    503: "The database or the cluster does not answer; try again after Retry-After seconds.",
}
WITH_BODY = {
    413: "The body is larger than the limit that the message names.",
    415: "The body is not application/json in UTF-8.",
    422: "A field is wrong; `errors` names each one.",
}
CONFLICT = {409: "The job's present state does not allow this."}

IDEMPOTENCY_KEY = OpenApiParameter(
    name="Idempotency-Key",
    location=OpenApiParameter.HEADER,
    type=str,
    required=False,
    description="Up to 128 characters that you choose once per job. A repeated POST with the same key and body "
    "answers 200 with the first job instead of making a second one; with another body it is refused with 422 "
    "`idempotency_key_reused`.",
)


def operation(
    name: str,
    summary: str,
    *,
    answers: Mapping[int, Any],
    body: type[Strict] | None = None,
    query: type[Strict] | None = None,
    parameters: tuple[OpenApiParameter, ...] = (),
    problems: Mapping[int, str] | None = None,
) -> Callable[[Operation], Operation]:
    """Documents one method of a view: its answers, and the problems that its kind of call can meet."""
    refusals = {**ALWAYS, **(WITH_BODY if body else {}), **(problems or {})}
    responses: dict[Any, Any] = {status: OpenApiResponse(answer) for status, answer in answers.items()}
    for status, description in sorted(refusals.items()):
        responses[status, PROBLEM] = OpenApiResponse(ProblemOutput, description=description)
    return extend_schema(
        operation_id=name,
        description="",
        summary=summary,
        request=body,
        responses=responses,
        parameters=[*parameters, *([query] if query else [])],
    )


@login_not_required
@require_safe
def openapi(request: HttpRequest) -> HttpResponse:
    """The OpenAPI document of all routes. Public: it says what every installation can do, and nothing of this one."""
    return HttpResponse(_document(), content_type="application/json")


@cache
def _document() -> bytes:
    """Made once per process: it takes a quarter of a second, and anybody may ask for it."""
    generator = SchemaGenerator()  # type: ignore[no-untyped-call]
    document = generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    rendered: bytes = OpenApiJsonRenderer().render(document, renderer_context={})
    return rendered
