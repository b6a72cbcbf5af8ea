"""What the REST door takes and gives.

Input is strict: unknown fields and values of another JSON type are refused, never ignored or converted.
"""

from collections.abc import Mapping
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from jobs import sentences
from jobs.models import Event, StateChange, Submission, Template, TemplateVersion
from portal.errors import FieldError, PortalError

MAX_UNKNOWN = 10  # messages about unknown fields; thousands would answer one request with megabytes


class Text(serializers.CharField):
    """A JSON string; DRF's own field would also take a number."""

    def to_internal_value(self, data: object) -> str:
        if not isinstance(data, str):
            raise ValidationError(_("This must be text."))
        return super().to_internal_value(data)


class Whole(serializers.IntegerField):
    """A JSON integer; DRF's own field would also take true and "1"."""

    def to_internal_value(self, data: object) -> int:
        if isinstance(data, bool) or not isinstance(data, int):
            raise ValidationError(_("This must be a whole number."))
        return super().to_internal_value(str(data))


class Strict(serializers.Serializer[Any]):
    """Refuses fields that it does not know, and tells of them beside all other errors."""

    def to_internal_value(self, data: object) -> Any:
        errors: dict[str, Any] = {}
        if isinstance(data, Mapping):
            known = ", ".join(self.fields)
            message = _("There is no such field; the fields are: %(known)s.") % {"known": known}
            unknown = [str(name)[:80] for name in data if name not in self.fields]
            errors = {name: [message] for name in unknown[:MAX_UNKNOWN]}
        try:
            value = super().to_internal_value(data)
        except ValidationError as error:
            if not isinstance(error.detail, dict):
                raise
            errors |= error.detail
        if errors:
            raise ValidationError(errors)
        return value


class SubmissionInput(Strict):
    template = Text(max_length=30, help_text="The template's slug.")
    version = Whole(
        required=False, min_value=1, max_value=2**31 - 1, help_text="A version of it; without it, the newest."
    )
    name = Text(max_length=1000, trim_whitespace=False, allow_blank=True, help_text="What people will call the job.")
    values = serializers.DictField(help_text="One member for each field of the template's schema that you fill in.")


class Nothing(Strict):
    """The body of a call that needs none: absent, or {}."""


class SubmissionQuery(Strict):
    dry_run = serializers.ChoiceField(choices=["0", "1"], default="0", help_text="1: check everything, store nothing.")


_STATES_ARE = "“{input}” is no state; the states are: %(states)s."


class ListQuery(Strict):
    state = serializers.ChoiceField(
        choices=Submission.State.choices,
        required=False,
        error_messages={"invalid_choice": _STATES_ARE % {"states": ", ".join(Submission.State.values)}},
    )
    after = serializers.UUIDField(required=False, help_text="`next` of the page before.")
    limit = serializers.IntegerField(default=50, min_value=1, max_value=200)


class LogQuery(Strict):
    replica = serializers.RegexField(
        r"\A[a-z]{1,20}-[0-9]{1,4}\Z",
        default="worker-0",
        help_text="Role and index of one replica, such as `worker-0`.",
    )
    tail = serializers.IntegerField(default=200, min_value=1, max_value=5000, help_text="That many newest lines.")
    previous = serializers.ChoiceField(choices=["0", "1"], default="0", help_text="1: of the container's run before.")


class NoQuery(Strict):
    """A route without parameters."""


class TemplateOutput(serializers.ModelSerializer[Template]):
    version = serializers.IntegerField(source="newest")  # as jobs.queries.templates_of finds it

    class Meta:
        model = Template
        fields = ["slug", "name", "description", "version"]


class TemplateDetailOutput(TemplateOutput):
    kind = serializers.SerializerMethodField()
    schema = serializers.SerializerMethodField()

    class Meta(TemplateOutput.Meta):
        fields = [*TemplateOutput.Meta.fields, "kind", "schema"]

    def get_kind(self, template: Template) -> str:
        return template.current().kind

    def get_schema(self, template: Template) -> dict[str, Any]:
        schema: dict[str, Any] = template.current().schema
        return schema


class TemplateReference(serializers.Serializer[TemplateVersion]):
    slug = serializers.CharField(source="template.slug")
    version = serializers.IntegerField(source="number")


class Replicas(serializers.Serializer[Submission]):
    total = serializers.IntegerField(source="replicas")
    active = serializers.IntegerField(source="replicas_active")
    succeeded = serializers.IntegerField(source="replicas_succeeded")
    failed = serializers.IntegerField(source="replicas_failed")


class SubmissionOutput(serializers.ModelSerializer[Submission]):
    name = serializers.CharField(source="title")
    tenant = serializers.SlugField(source="tenant.slug")
    author = serializers.EmailField(source="author.email")
    template = TemplateReference(source="template_version")
    replicas = Replicas(source="*")
    sentence = serializers.SerializerMethodField()

    class Meta:
        model = Submission
        fields = [
            "uid", "name", "tenant", "author", "template", "kind",
            "state", "reason", "params", "sentence", "state_since",
            "submitted_at", "started_at", "finished_at", "cancel_requested_at",
            "gpus", "replicas", "flavor", "namespace", "job_name",
        ]  # fmt: skip

    def get_sentence(self, submission: Submission) -> str:
        return sentences.sentence(submission.state, submission.reason, submission.params)


class StateChangeOutput(serializers.ModelSerializer[StateChange]):
    sentence = serializers.SerializerMethodField()

    class Meta:
        model = StateChange
        fields = ["at", "state", "reason", "params", "sentence"]

    def get_sentence(self, change: StateChange) -> str:
        return sentences.past_sentence(change.state, change.reason, change.params)


class SubmissionDetailOutput(SubmissionOutput):
    changes = serializers.SerializerMethodField(help_text="Every change of state or reason, oldest first.")

    class Meta(SubmissionOutput.Meta):
        fields = [*SubmissionOutput.Meta.fields, "values", "manifest", "changes"]

    @extend_schema_field(StateChangeOutput(many=True))
    def get_changes(self, submission: Submission) -> Any:
        return StateChangeOutput(submission.changes.order_by("id"), many=True).data


class SubmissionPage(serializers.Serializer[Any]):
    items = SubmissionOutput(many=True)
    next = serializers.UUIDField(allow_null=True, help_text="Pass it as `after` to read on; null at the end.")


class TemplatePage(serializers.Serializer[Any]):
    items = TemplateOutput(many=True)


class CheckOutput(serializers.Serializer[Any]):
    """The answer to `dry_run=1`: what would have been stored and sent."""

    manifest = serializers.JSONField()
    spec_hash = serializers.CharField()
    gpus = serializers.IntegerField()
    replicas = serializers.IntegerField()


class EventOutput(serializers.ModelSerializer[Event]):
    class Meta:
        model = Event
        fields = ["at", "count", "type", "reason", "message", "source", "regarding_kind", "regarding_name"]


class EventPage(serializers.Serializer[Any]):
    items = EventOutput(many=True)


class LogLineOutput(serializers.Serializer[Any]):
    time = serializers.CharField(help_text='RFC 3339 as the cluster has it; "" for the rest of a line that was cut.')
    text = serializers.CharField()


class LogOutput(serializers.Serializer[Any]):
    replica = serializers.CharField()
    pod = serializers.CharField(help_text='"" before there is one.')
    lines = LogLineOutput(many=True)
    empty = serializers.CharField(allow_null=True, help_text="Why there are no lines, as a code; else null.")
    message = serializers.CharField(help_text='What the cluster said instead of lines, or "".')


class FieldErrorOutput(serializers.Serializer[Any]):
    path = serializers.CharField(help_text='Dotted, such as "values.workers"; "" is the whole body.')
    message = serializers.CharField()


class ProblemOutput(serializers.Serializer[Any]):
    """RFC 9457."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.CharField()
    detail = serializers.CharField()
    errors = FieldErrorOutput(many=True)  # type: ignore[assignment]  # a field, which DRF takes off the class


def checked_body(serializer_class: type[Strict], data: object) -> dict[str, Any]:
    """The body as `serializer_class` has it. Raises DRF's ValidationError: a 422 that names the fields."""
    serializer = serializer_class(data=data)
    serializer.is_valid(raise_exception=True)
    value: dict[str, Any] = serializer.validated_data
    return value


def checked_query(serializer_class: type[Strict], query: QueryDict) -> dict[str, Any]:
    """The query string as `serializer_class` has it.

    Raises PortalError 400 for unknown, repeated and malformed parameters.
    """
    errors = [FieldError(name[:80], _("Give this parameter once.")) for name in query if len(query.getlist(name)) > 1]
    serializer = serializer_class(data=query.dict())
    if not serializer.is_valid():
        errors += [FieldError(name, str(messages[0])) for name, messages in serializer.errors.items()]
    if errors:
        raise PortalError("invalid_query", f"{errors[0].path}: {errors[0].message}", 400, errors)
    value: dict[str, Any] = serializer.validated_data
    return value
