"""Turns a Document into rows, through the services that every other door uses."""

import secrets

from django.db import transaction

from jobs.services import publish_template
from portal.management.onboarding.document import Document
from quotas.models import ClusterQueue, Cohort
from quotas.services import apply_again, set_flavor, set_queue
from tenants.models import Role, Tenant, User
from tenants.services import create_tenant, create_user, set_member, set_platform_role


@transaction.atomic
def make(document: Document) -> dict[str, str]:
    """Makes what is missing and changes what differs; removes nothing. All or nothing, and safe to repeat.

    Every queue is applied anew, so that a repeat also brings back what somebody deleted in the cluster.
    Returns the passwords of new users by e-mail address; only their hashes are stored. Raises portal.errors.Invalid.
    """
    passwords = _make_users(document)
    for name, flavor in document.flavors.items():
        set_flavor(name=name, title=flavor["title"], node_labels=flavor["node_labels"])
    for name in document.cohorts:
        Cohort.objects.get_or_create(name=name)
    for slug, columns in document.tenants.items():
        tenant = Tenant.objects.filter(slug=slug).first() or create_tenant(slug=slug, name=columns["name"])
        for email, role in columns.get("members", {}).items():
            set_member(tenant=tenant, user=User.objects.get(email=email.lower()), role=Role(role))
    for name, queue in document.queues.items():
        made = set_queue(
            name=name,
            quotas=document.quotas(name),
            tenant=Tenant.objects.get(slug=queue["tenant"]) if queue.get("tenant") else None,
            cohort=Cohort.objects.get(name=queue["cohort"]) if queue.get("cohort") else None,
            reclaim_within_cohort=queue.get("reclaim_within_cohort", ClusterQueue.Reclaim.ANY),
        )
        apply_again(made)
    for template in document.templates:
        publish_template(**template)
    return passwords


def _make_users(document: Document) -> dict[str, str]:
    passwords = {}
    for email, columns in document.users.items():
        user = User.objects.filter(email=email).first()
        if user is None:
            passwords[email] = secrets.token_urlsafe(15)
            user = create_user(email=email, password=passwords[email], name=columns.get("name", ""))
        if "platform_role" in columns:
            set_platform_role(user=user, role=columns["platform_role"])
    return passwords
