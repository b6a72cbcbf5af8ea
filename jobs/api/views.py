"""The routes of REST: access first, then shape, then the service that the pages call too.

`portal.http` renders what is refused.
"""

from uuid import UUID

from drf_spectacular.utils import PolymorphicProxySerializer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from jobs import logs, queries, services
from jobs.api.documentation import CONFLICT, IDEMPOTENCY_KEY, operation
from jobs.api.serializers import (
    CheckOutput,
    EventPage,
    ListQuery,
    LogOutput,
    LogQuery,
    NoQuery,
    Nothing,
    SubmissionDetailOutput,
    SubmissionInput,
    SubmissionPage,
    SubmissionQuery,
    TemplateDetailOutput,
    TemplatePage,
    checked_body,
    checked_query,
)
from jobs.models import Submission
from portal.errors import NotFound
from portal.kube.client import cluster_from_settings
from tenants.access import Access, tenant_for
from tenants.models import Role

REPLAY_OR_CHECK = PolymorphicProxySerializer(
    component_name="SubmissionOrCheck",
    serializers=[SubmissionDetailOutput, CheckOutput],
    resource_type_field_name=None,
)


class TenantView(APIView):
    """A route below /tenants/<tenant>/."""

    def access(self, role: Role = Role.VIEWER) -> Access:
        """The caller, with at least `role` in the URL's tenant. Raises NotFound for outsiders, Forbidden below it."""
        return tenant_for(self.request, self.kwargs["tenant"], role)

    def submission(self, access: Access) -> Submission:
        return queries.submission_of(access, self.kwargs["uid"])


class TemplateList(TenantView):
    @operation("list_templates", "List the templates", answers={200: TemplatePage})
    def get(self, request: Request, tenant: str) -> Response:
        access = self.access()
        checked_query(NoQuery, request.query_params)
        return Response(TemplatePage({"items": queries.templates_of(access)}).data)


class TemplateDetail(TenantView):
    @operation("show_template", "Show a template and the schema of its values", answers={200: TemplateDetailOutput})
    def get(self, request: Request, tenant: str, template: str) -> Response:
        access = self.access()
        checked_query(NoQuery, request.query_params)
        found = queries.templates_of(access).filter(slug=template).first()
        if found is None:
            raise NotFound
        return Response(TemplateDetailOutput(found).data)


class SubmissionCollection(TenantView):
    @operation("list_jobs", "List jobs, newest first", answers={200: SubmissionPage}, query=ListQuery)
    def get(self, request: Request, tenant: str) -> Response:
        access = self.access()
        query = checked_query(ListQuery, request.query_params)
        submissions = queries.listed(access)
        if "state" in query:
            submissions = submissions.filter(state=query["state"])
        if "after" in query:
            submissions = submissions.filter(id__lt=queries.submission_of(access, query["after"]).id)
        rows = list(submissions[: query["limit"] + 1])
        page = rows[: query["limit"]]
        return Response(SubmissionPage({"items": page, "next": page[-1].uid if len(rows) > len(page) else None}).data)

    @operation(
        "submit_job",
        "Submit a job, or check it with `dry_run=1`",
        answers={201: SubmissionDetailOutput, 200: REPLAY_OR_CHECK},
        body=SubmissionInput,
        query=SubmissionQuery,
        parameters=(IDEMPOTENCY_KEY,),
        problems=CONFLICT,
    )
    def post(self, request: Request, tenant: str) -> Response:
        access = self.access(Role.SUBMITTER)
        query = checked_query(SubmissionQuery, request.query_params)
        body = checked_body(SubmissionInput, request.data)
        asked = {
            "access": access,
            "template_slug": body["template"],
            "version": body.get("version"),
            "title": body["name"],
            "values": body["values"],
        }
        if query["dry_run"] == "1":
            check = services.check_submission(**asked)
            services.dry_run(check)
            return Response(CheckOutput(check).data)
        submission, created = services.create_submission(
            **asked, idempotency_key=request.headers.get("Idempotency-Key")
        )
        answer = SubmissionDetailOutput(queries.submission_of(access, submission.uid))
        return Response(answer.data, status=201 if created else 200)


class SubmissionDetail(TenantView):
    @operation("show_job", "Show a job", answers={200: SubmissionDetailOutput})
    def get(self, request: Request, tenant: str, uid: UUID) -> Response:
        submission = self.submission(self.access())
        checked_query(NoQuery, request.query_params)
        return Response(SubmissionDetailOutput(submission).data)


class SubmissionCancel(TenantView):
    @operation("cancel_job", "Cancel a job", answers={200: SubmissionDetailOutput}, body=Nothing, problems=CONFLICT)
    def post(self, request: Request, tenant: str, uid: UUID) -> Response:
        access = self.access(Role.SUBMITTER)
        submission = self.submission(access)
        checked_query(NoQuery, request.query_params)
        checked_body(Nothing, request.data)
        cancelled = services.cancel_submission(access=access, submission=submission)
        return Response(SubmissionDetailOutput(cancelled).data)


class SubmissionLogs(TenantView):
    @operation("read_log", "Read the newest log lines of a replica", answers={200: LogOutput}, query=LogQuery)
    def get(self, request: Request, tenant: str, uid: UUID) -> Response:
        submission = self.submission(self.access())
        query = checked_query(LogQuery, request.query_params)
        role, index = query["replica"].rsplit("-", 1)
        if int(index) >= submission.replicas:
            raise NotFound
        pod = submission.pods.filter(role=role, index=int(index)).order_by("-created_at", "-id").first()
        if pod is None:
            return Response(LogOutput(logs.Log(query["replica"], "", empty="not_started")).data)
        previous = query["previous"] == "1"
        log = logs.tail(cluster_from_settings(), submission, pod, lines=query["tail"], previous=previous)
        return Response(LogOutput(log).data)


class SubmissionEvents(TenantView):
    @operation("list_events", "List the cluster's events about a job, newest first", answers={200: EventPage})
    def get(self, request: Request, tenant: str, uid: UUID) -> Response:
        submission = self.submission(self.access())
        checked_query(NoQuery, request.query_params)
        return Response(EventPage({"items": submission.events.order_by("-at", "-id")[:500]}).data)
