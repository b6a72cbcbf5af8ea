from pathlib import Path

import pytest

from jobs.mirror import resync
from portal.kube.client import Cluster
from quotas.models import QueueStatus
from quotas.schedule import apply_unapplied
from sandbox.auth import rule_of
from tests.factories import make_queue
from tests.sandboxes import running_sandbox

QUEUES_ONLY = {
    "subjects": ["nobody"],
    "apiGroups": ["kueue.x-k8s.io"],
    "resources": ["clusterqueues"],
    "verbs": ["list"],
}


@pytest.mark.django_db
def test_a_kind_that_is_not_ours_to_read_does_not_hold_up_the_others(tmp_path: Path) -> None:
    make_queue("reserve", gpus=12)
    with running_sandbox(tmp_path, rules=(rule_of(QUEUES_ONLY),)) as sandbox:
        admin, nobody = tmp_path / "admin", tmp_path / "nobody"
        admin.write_text(sandbox.token)
        nobody.write_text("nobody")
        apply_unapplied(Cluster(url=sandbox.url, token_file=str(admin)))
        resync(Cluster(url=sandbox.url, token_file=str(nobody)))
    assert QueueStatus.objects.get().cluster_queue.name == "reserve"
