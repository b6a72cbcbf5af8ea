"""What the codes of jobs.state mean, in sentences: one catalogue for pages, REST and the command line.

A sentence names the number and says what to do. A parameter that is not known leaves its part of the sentence out.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from portal import quantity
from portal.names import EPHEMERAL_STORAGE, GPU
from portal.templatetags.portal import duration

Params = Mapping[str, Any]

# Kueue makes a Workload within a second or two of the job; after so long somebody should look.
NO_WORKLOAD_SECONDS = 60


@dataclass(frozen=True)
class Words:
    """`headline` is short enough for a title, `sentence` stands beside the chip, `steps` are what somebody can do."""

    headline: str
    sentence: str
    steps: tuple[str, ...] = ()


def words(reason: str, params: Params) -> Words:
    """The words for a reason code. A code without words of its own shows what the scheduler said."""
    return _WORDS.get(reason, _of_the_scheduler)(params)


def sentence(state: str, reason: str, params: Params) -> str:
    """One line for lists, chips and REST. `state` decides only where a reason says nothing about the present."""
    if state == "preempted" and reason == "waiting_for_quota":
        return _("Stopped and queued again. %(waits)s") % {"waits": words(reason, params).sentence}
    return words(reason, params).sentence


def past_sentence(state: str, reason: str, params: Params) -> str:
    """The sentence of a kept change: without what grows with the time since."""
    return sentence(state, reason, {name: value for name, value in params.items() if name != "since"})


def amount(count: int, resource: str, flavor: str = "") -> str:
    """ "8 GPUs", "8 a100 GPUs", "32 CPUs", "256Gi memory"; `count` in portal.quantity's unit."""
    return " ".join(_number_and_unit(count, resource, flavor))


def _more(count: int, resource: str, flavor: str) -> str:
    number, unit = _number_and_unit(count, resource, flavor)
    return _("%(number)s more %(unit)s") % {"number": number, "unit": unit}


def _number_and_unit(count: int, resource: str, flavor: str = "") -> tuple[str, str]:
    number = quantity.show(count, resource)
    if resource == GPU:
        unit = ngettext("GPU", "GPUs", count)
        return number, f"{flavor} {unit}" if flavor else unit
    names = {
        "cpu": ngettext("CPU", "CPUs", -(-count // 1000)),
        "memory": _("memory"),
        EPHEMERAL_STORAGE: _("ephemeral storage"),
    }
    return number, names.get(resource, resource)


def place(params: Params) -> str:
    """ "position 1 of 2", "position 1", or "" while the cluster has not said it."""
    position, of = params.get("position"), params.get("of")
    if position is None:
        return ""
    if of is None:
        return _("position %(position)d") % {"position": position}
    return _("position %(position)d of %(of)d") % {"position": position, "of": of}


def why_no_log(code: str, message: str) -> str:
    """Why a replica has no lines: `code` of jobs.logs.Log.empty, or "no_pod". `message`: the cluster's own words."""
    text = {
        "no_pod": _("Its replicas have not been made yet; the log begins when they start."),
        "not_started": _("The replica has not started yet."),
        "pulling": _("The replica pulls its image; the log begins when it starts."),
        "image_failed": _("The replica's image cannot be pulled, so it has printed nothing."),
        "nothing_printed": _("Started, but nothing has been printed yet."),
        "no_previous": _("This replica was not restarted, so there is no earlier log."),
        "pod_gone": _("The pod is gone, and its log went with it."),
        "unreachable": _("The cluster does not answer just now; the log is kept there. Try again in a few seconds."),
    }.get(code, _("There are no lines."))
    if code in {"not_started", "image_failed"}:
        return _with_message(text, {"message": message})
    return text


def _said(params: Params) -> str:
    return str(params.get("message") or "").strip()


def _with_message(text: str, params: Params) -> str:
    """`text`, followed by the cluster's own words where there are any."""
    said = _said(params)
    return _("%(text)s The cluster says: %(said)s") % {"text": text, "said": said} if said else text


def _replica(params: Params) -> str:
    return str(params.get("replica") or _("A replica"))


def _plain(headline: str | Promise, sentence: str | Promise, *steps: str | Promise) -> Callable[[Params], Words]:
    """Words without numbers of their own."""
    return lambda params: Words(str(headline), _with_message(str(sentence), params), tuple(map(str, steps)))


def _of_the_scheduler(params: Params) -> Words:
    said = _said(params) or _("nothing more")
    return Words(_("Scheduler says:"), _("Scheduler says: %(said)s") % {"said": said})


def _pending(params: Params) -> Words:
    return Words(_("Accepted"), _("Accepted; it is sent to the cluster next."))


def _seconds_since(params: Params) -> float | None:
    try:
        return (timezone.now() - datetime.fromisoformat(params["since"])).total_seconds()
    except (KeyError, ValueError):
        return None


def _no_workload(params: Params) -> Words:
    seconds = _seconds_since(params)
    if seconds is None or seconds < NO_WORKLOAD_SECONDS:
        text = _("The cluster has the job; its queue has not looked at it yet.")
        return Words(_("Not looked at yet"), _with_message(text, params))
    text = _("The cluster has had the job for %(time)s, and Kueue has made no Workload for it: it does not queue.")
    step = _(
        "Tell a platform admin. Kueue is down, or does not manage jobs of this kind: "
        "Kueue 0.19 leaves PyTorchJobs out unless its integrations.frameworks names them."
    )
    return Words(_("Kueue does not see it"), text % {"time": duration(seconds)}, (step,))


def _send_failed(params: Params) -> Words:
    text = _("It could not be sent to the cluster yet and is tried again by itself.")
    tries = params.get("tries")
    if tries:
        text = ngettext(
            "It could not be sent to the cluster yet; tried %(tries)d time, the next try comes by itself.",
            "It could not be sent to the cluster yet; tried %(tries)d times, the next try comes by itself.",
            tries,
        ) % {"tries": tries}
    return Words(_("Not sent yet"), _with_message(text, params), (_("Nothing to do: it is tried until it works."),))


def _waiting_for_quota(params: Params) -> Words:
    missing, resource = params.get("missing"), str(params.get("resource") or GPU)
    if missing is None:
        title = _("Waiting for quota")
        text = _("Waits until its queue has room for it")
    else:
        more = _more(missing, resource, str(params.get("flavor") or ""))
        title = _("Waiting for %(more)s") % {"more": more}
        text = _("Waits for %(more)s") % {"more": more}
    at = place(params)
    steps = (
        _("It starts by itself as soon as other jobs free that much."),
        _("Ask for fewer workers to start earlier."),
    )
    return Words(title, f"{text}; {at}." if at else f"{text}.", steps)


def _exceeds_max_quota(params: Params) -> Words:
    needs, most = params.get("needs"), params.get("at_most")
    steps = (_("Cancel it and submit it with fewer workers."), _("Or ask a platform admin for more quota."))
    if needs is None or most is None:
        text = _("Asks for more than its queue can ever reach. It will never start as it is.")
        return Words(_("Can never start"), text, steps)
    resource = str(params.get("resource") or GPU)
    numbers = {"needs": amount(needs, resource), "most": amount(most, resource)}
    title = _("Can never start: asks for %(needs)s, its queue reaches %(most)s") % numbers
    text = _("Asks for %(needs)s; its queue can reach at most %(most)s. It will never start as it is.") % numbers
    return Words(title, text, steps)


def _image(params: Params, text: str) -> str:
    image = params.get("image")
    return text % {"replica": _replica(params), "image": image or _("its image")}


def _pulling_image(params: Params) -> Words:
    return Words(_("Pulling the image"), _image(params, _("%(replica)s pulls %(image)s.")))


def _image_failed(params: Params) -> Words:
    text = _with_message(_image(params, _("%(replica)s cannot start: %(image)s could not be pulled.")), params)
    return Words(_("The image cannot be pulled"), text, (_("Check the image's name and tag, then submit again."),))


def _unschedulable(params: Params) -> Words:
    text = _("%(replica)s was admitted, but no node can take it as things are.") % {"replica": _replica(params)}
    steps = (
        _("It starts by itself as soon as what the cluster names is there."),
        _("A volume claim that is not found: check its name in the manifest, or ask a platform admin to make it."),
    )
    return Words(_("Admitted, but no node fits"), _with_message(text, params), steps)


def _pods_starting(params: Params) -> Words:
    ready, total = params.get("ready"), params.get("total")
    if ready is None or total is None:
        return Words(_("Starting"), _("Its replicas start."))
    text = ngettext("%(ready)d of %(total)d replica ready.", "%(ready)d of %(total)d replicas ready.", total)
    return Words(_("Starting"), text % {"ready": ready, "total": total})


def _running(params: Params) -> Words:
    seconds = _seconds_since(params)
    text = _("All its replicas run.") if seconds is None else _("Runs for %(time)s.") % {"time": duration(seconds)}
    return Words(_("Running"), text)


def _restarting(params: Params) -> Words:
    replica, code, restarts = _replica(params), params.get("exit_code"), params.get("restarts")
    text = _("%(replica)s ended and starts again") % {"replica": replica}
    if code is not None:
        text = _("%(replica)s exited with code %(code)d and starts again") % {"replica": replica, "code": code}
    if restarts:
        times = ngettext("%(count)d restart so far", "%(count)d restarts so far", restarts) % {"count": restarts}
        text = f"{text}; {times}"
    return Words(_("Restarting"), f"{text}.", (_("Read that replica's log for the reason."),))


def _evicted(params: Params) -> Words:
    """`cause`: reason of the Workload's condition Preempted, else Evicted (Kueue 0.19, workload_types.go)."""
    cause = str(params.get("cause") or "")
    checkpoint = _("Work since the last checkpoint is done again.")
    if cause.startswith("InCohort"):
        own = _("Jobs within the tenant's own quota are not stopped for others.")
        text = _("Stopped to give quota back to those who own it; it is queued again by itself.")
        return Words(_("Stopped to make room for others"), text, (checkpoint, own))
    if cause == "InClusterQueue":
        text = _("Stopped for a job of higher priority in the same queue; it is queued again by itself.")
        return Words(_("Stopped to make room for others"), text, (checkpoint,))
    if cause == "PodsReadyTimeout":
        text = _("Not all its replicas ran within the time that Kueue gives a start; it is queued again by itself.")
        look = _("Its events tell what kept them: often an image, a node, or replicas that wait for each other.")
        pause = _("Each further try begins later than the one before, up to an hour.")
        return Words(_("Took too long to start"), text, (look, pause))
    if cause == "NodeFailures":
        text = _("Stopped because a node failed; it is queued again by itself.")
        return Words(_("A node failed"), text, (checkpoint,))
    text = _("Kueue stopped it (%(cause)s)") % {"cause": cause} if cause else _("Kueue stopped it")
    return Words(_("Stopped and queued again"), _("%(stopped)s; it is queued again by itself.") % {"stopped": text})


def _stopping(params: Params) -> Words:
    pods = params.get("pods")
    if not pods:
        return Words(_("Stopping"), _("Cancel requested; the cluster is removing it."))
    text = ngettext(
        "Cancel requested; %(pods)d pod still terminates.", "Cancel requested; %(pods)d pods still terminate.", pods
    )
    return Words(_("Stopping"), text % {"pods": pods})


def _succeeded(params: Params) -> Words:
    seconds = params.get("seconds")
    text = _("Finished.") if seconds is None else _("Finished in %(time)s.") % {"time": duration(seconds)}
    return Words(_("Finished"), text)


def _crashed(params: Params) -> Words:
    replica, code, restarts = _replica(params), params.get("exit_code"), params.get("restarts")
    title = _("%(replica)s failed") % {"replica": replica}
    text = title
    if code is not None:
        text = title = _("%(replica)s exited with code %(code)d") % {"replica": replica, "code": code}
    if restarts:
        used = ngettext("%(count)d restart used up", "%(count)d restarts used up", restarts) % {"count": restarts}
        text = f"{text}; {used}"
    return Words(
        title, f"{text}.", (_("Read the end of that replica's log; the other replicas' errors often only follow."),)
    )


def _out_of_memory(params: Params) -> Words:
    text = _("%(replica)s ran out of memory (exit code 137).") % {"replica": _replica(params)}
    return Words(_("Out of memory"), text, (_("Submit it again with more memory, or a smaller batch."),))


def _deadline(params: Params) -> Words:
    seconds = params.get("seconds")
    text = _("Stopped at its time limit.")
    if seconds is not None:
        text = _("Stopped at its time limit of %(time)s.") % {"time": duration(seconds)}
    return Words(
        _("Time limit reached"), text, (_("Submit it again with a longer limit; it goes on from its checkpoint."),)
    )


def _backoff_limit(params: Params) -> Words:
    limit = params.get("limit")
    text = _("Failed more often than it may be restarted.")
    if limit is not None:
        text = ngettext(
            "Failed again after %(limit)d restart, as many as it may have.",
            "Failed again after %(limit)d restarts, as many as it may have.",
            limit,
        ) % {"limit": limit}
    return Words(
        _("Restarts used up"), _with_message(text, params), (_("Read the logs of the replica that failed first."),)
    )


def _cancelled(params: Params) -> Words:
    by = params.get("by")
    return Words(_("Cancelled"), _("Cancelled by %(by)s.") % {"by": by} if by else _("Cancelled."))


_WORDS: dict[str, Callable[[Params], Words]] = {
    "pending": _pending,
    "sending": _plain(gettext_lazy("Sending"), gettext_lazy("It is being sent to the cluster.")),
    "send_failed": _send_failed,
    "rejected": _plain(
        gettext_lazy("Refused by the cluster"),
        gettext_lazy("The cluster refused the job."),
        gettext_lazy("Correct what it names and submit again."),
    ),
    "no_workload": _no_workload,
    "waiting_for_quota": _waiting_for_quota,
    "exceeds_max_quota": _exceeds_max_quota,
    "no_matching_flavor": _plain(
        gettext_lazy("No node type matches"),
        gettext_lazy("No node type of its queue matches what it asks for."),
        gettext_lazy("Ask a platform admin which ones there are."),
    ),
    "misconfigured": _plain(
        gettext_lazy("Its queue is not ready"),
        gettext_lazy("Its queue is missing or not ready."),
        gettext_lazy("Tell a platform admin."),
    ),
    "queue_stopped": _plain(
        gettext_lazy("Queue is stopped"),
        gettext_lazy("Its queue is stopped by an admin; nothing starts until it is opened again."),
    ),
    "held": _plain(gettext_lazy("Held"), gettext_lazy("It is held back and does not start until it is released.")),
    "admitted": _plain(gettext_lazy("Admitted"), gettext_lazy("Admitted; its pods are being made.")),
    "pulling_image": _pulling_image,
    "image_failed": _image_failed,
    "unschedulable": _unschedulable,
    "pods_starting": _pods_starting,
    "running": _running,
    "restarting": _restarting,
    "preempted": _evicted,
    "requeued": _evicted,
    "stopping": _stopping,
    "succeeded": _succeeded,
    "crashed": _crashed,
    "out_of_memory": _out_of_memory,
    "deadline": _deadline,
    "backoff_limit": _backoff_limit,
    "failed": _plain(
        gettext_lazy("Failed"),
        gettext_lazy("It failed."),
        gettext_lazy("Read the logs of the replica that failed first."),
    ),
    "cancelled": _cancelled,
    "deleted_outside": _plain(
        gettext_lazy("Deleted outside Choirmaster"),
        gettext_lazy("Deleted outside Choirmaster; how far it came is not known."),
        gettext_lazy("Submit it again if it is still needed."),
    ),
    "mirror_stale": _plain(
        gettext_lazy("Cluster not reachable"),
        gettext_lazy("The cluster has not been heard for a while; this is how the job stood when it was last seen."),
    ),
}
