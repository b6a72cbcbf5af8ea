"""Every name that Choirmaster writes into a cluster, and the rules that names keep. Found by grep, never guessed."""

import os
import re
import time
import uuid

PREFIX = "choirmaster.dev/"
LABEL_TENANT = PREFIX + "tenant"  # the tenant's slug, for people
LABEL_TENANT_UID = PREFIX + "tenant-uid"  # on namespaces: whose it is, even beside another portal's tenant of that name
LABEL_SUBMISSION = PREFIX + "submission"  # the submission's uid
LABEL_MANAGED = PREFIX + "managed"  # "true" on every namespace and queue that the portal made
ANNOTATION_SPEC_HASH = PREFIX + "spec-hash"
ANNOTATION_TITLE = PREFIX + "title"
ANNOTATION_GENERATION = PREFIX + "generation"

FIELD_MANAGER = "choirmaster"
SERVICE_ACCOUNT = "choirmaster-job"
LOCAL_QUEUE = "main"  # one LocalQueue per tenant; not "default", which would also catch jobs without a label

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
JOB_UID_LABEL = "kueue.x-k8s.io/job-uid"

GPU = "nvidia.com/gpu"
EPHEMERAL_STORAGE = "ephemeral-storage"

MAX_JOB_NAME = 40  # leaves room for "-worker-999" in a 63-character pod name (DNS-1035)
# Tenant and template slugs: a namespace name with our prefix stays <= 63.
SLUG = re.compile(r"[a-z]([-a-z0-9]{0,28}[a-z0-9])?")
DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
RESERVED_SLUGS = frozenset({"new", "default", "system", "platform", "me", "api"})


def namespace_of(tenant_slug: str) -> str:
    """The tenant's namespace. The prefix keeps it apart from kube-*, default and everything that others made."""
    return f"cm-{tenant_slug}"


def job_name(title: str, uid: uuid.UUID) -> str:
    """The CR's name: a readable part of the title and 12 hex digits of the submission's uid, at most 40 characters.

    It depends on nothing else, so that a repeated launch meets its own object (create-or-adopt). DNS-1035: it starts
    with a letter. The digits are the last ones: a UUIDv7 begins with the time, only its end is random.
    """
    words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    if not words or not words[0].isalpha():
        words = f"j-{words}".rstrip("-")
    return f"{words[: MAX_JOB_NAME - 13].rstrip('-')}-{uid.hex[-12:]}"


def new_uid() -> uuid.UUID:
    """A UUIDv7 (RFC 9562, 5.7): sorts by time of creation, so that an index on it stays dense."""
    milliseconds = time.time_ns() // 1_000_000
    value = (milliseconds & (1 << 48) - 1) << 80 | int.from_bytes(os.urandom(10), "big")
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return uuid.UUID(int=value)
