"""What the demo's visitor finds: people, tenants, queues, templates, and the volumes that the example job mounts."""

import json
from pathlib import Path

from django.db import transaction

from portal.kube.client import Cluster, cluster_from_settings
from portal.kube.errors import AlreadyExists
from portal.management.demo.home import write_private
from portal.management.onboarding import make, read_document
from quotas.schedule import apply_unapplied
from tenants.models import Tenant

DEMO = Path(__file__).parent.parent / "onboarding" / "demo.yaml"
CLAIMS = ("training-data", "checkpoint-pvc")


def seed(credentials: Path, url: str) -> dict[str, str]:
    """Makes what is not there yet and returns the passwords of the people it made, by e-mail.

    `credentials` (JSON, mode 0600: {"url": …, "users": {e-mail: password}}) keeps them. Needs the cluster.
    """
    with transaction.atomic():
        passwords = make(read_document(DEMO))
        # Before the commit: people whose passwords nobody has would lock the demo for ever.
        _keep(credentials, url, passwords)
    cluster = cluster_from_settings()
    apply_unapplied(cluster)
    for tenant in Tenant.objects.order_by("pk"):
        for name in CLAIMS:
            _claim(cluster, tenant.namespace, name)
    return passwords


def _keep(credentials: Path, url: str, passwords: dict[str, str]) -> None:
    known = json.loads(credentials.read_text())["users"] if credentials.exists() else {}
    write_private(credentials, json.dumps({"url": url, "users": known | passwords}, indent=2))


def _claim(cluster: Cluster, namespace: str, name: str) -> None:
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Ti"}}},
    }
    try:
        cluster.create(claim)
    except AlreadyExists:
        return
