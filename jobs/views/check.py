""" "Check without submitting": what submitting would answer, in four stages, with nothing stored and nothing sent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from jobs import sentences, services
from jobs.forms import SubmissionForm
from jobs.spec import check_title, check_values
from portal.errors import FieldError, Invalid, PortalError
from portal.kube.errors import ClusterUnavailable

Outcome = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True)
class Stage:
    name: str
    outcome: Outcome
    text: str


Found = tuple[Outcome, str]


def check_without_submitting(form: SubmissionForm, asked: Mapping[str, Any]) -> Sequence[Stage]:
    """What each stage found; errors are put by their fields too. `asked`: what services.check_submission is given."""
    problems = _problems(form, asked)
    if problems:
        form.show(problems)
        text = ngettext("%(count)d field needs a change.", "%(count)d fields need a change.", len(problems))
        return _stages(("failed", text % {"count": len(problems)}))
    complete: Found = ("passed", _("Everything is filled in as the template asks."))
    try:
        check = services.check_submission(**asked)
    except PortalError as error:
        form.show(error.errors or [FieldError("", error.message)])
        return _stages(complete, ("failed", error.message))
    allowed: Found = ("passed", _("Names, image, volumes and size are within the rules."))
    return _stages(complete, allowed, _cluster(form, check), _start(check))


def _problems(form: SubmissionForm, asked: Mapping[str, Any]) -> Sequence[FieldError]:
    _values, errors = check_values(form.schema, asked["values"], tuple(settings.IMAGE_PREFIXES))
    title = check_title(asked["title"])
    return [FieldError("name", title), *errors] if title else errors


def _cluster(form: SubmissionForm, check: services.Check) -> Found:
    try:
        services.dry_run(check)
    except Invalid as error:
        form.show(error.errors)
        return "failed", error.message
    except ClusterUnavailable:
        return "skipped", _("The cluster does not answer just now. It checks the job again when it is sent.")
    return "passed", _("The cluster would accept it as it is.")


def _start(check: services.Check) -> Found:
    fit = check.fit
    numbers = {
        "asks": sentences.amount(fit.asked, fit.resource),
        "most": sentences.amount(fit.at_most, fit.resource),
    }
    return "passed", _("Yes, once %(asks)s are free at the same time; the queue can reach at most %(most)s.") % numbers


def _stages(*found: Found) -> list[Stage]:
    """One stage for each name; those after the last finding were not reached."""
    names = (_("Form"), _("Rules"), _("Cluster"), _("Would start?"))
    missing: Found = ("skipped", _("Not reached."))
    return [Stage(name, *result) for name, result in zip(names, [*found, *[missing] * (4 - len(found))], strict=True)]
