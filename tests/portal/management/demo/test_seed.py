import json
import stat

import pytest

from portal.kube.client import Cluster
from portal.kube.kinds import PVC, Ref
from portal.management.demo.seed import seed
from quotas.models import ClusterQueue
from tenants.models import Tenant, User
from tests.sandboxes import running_sandbox

pytestmark = pytest.mark.django_db


@pytest.fixture
def cluster(tmp_path, settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    with running_sandbox(tmp_path) as sandbox:
        (tmp_path / "token").write_text(sandbox.token)
        settings.CLUSTER_URL, settings.CLUSTER_TOKEN_FILE = sandbox.url, str(tmp_path / "token")
        yield Cluster(url=sandbox.url, token_file=settings.CLUSTER_TOKEN_FILE)


def test_first_and_second_start(cluster, tmp_path):
    file = tmp_path / "credentials.json"
    passwords = seed(file, "http://localhost:8000/")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert json.loads(file.read_text()) == {"url": "http://localhost:8000/", "users": passwords}
    assert User.objects.count() == len(passwords)
    assert seed(file, "http://localhost:9000/") == {}
    assert json.loads(file.read_text()) == {"url": "http://localhost:9000/", "users": passwords}


def test_every_tenant_finds_its_namespace_and_claims(cluster, tmp_path):
    seed(tmp_path / "credentials.json", "http://localhost:8000/")
    assert ClusterQueue.objects.count() == 3
    for tenant in Tenant.objects.all():
        assert tenant.namespace_uid
        for name in ["training-data", "checkpoint-pvc"]:
            claim = cluster.get(Ref(PVC, name, tenant.namespace))
            assert claim["spec"]["accessModes"] == ["ReadWriteMany"]
            assert claim["status"]["phase"] == "Bound"
