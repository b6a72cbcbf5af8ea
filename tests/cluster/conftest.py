"""A real control plane with Kueue and the training operator, wherever somebody has one at hand.

TEST_CLUSTER_URL, TEST_CLUSTER_TOKEN_FILE and TEST_CLUSTER_CA_FILE name it; the token needs cluster-admin. It applies
deploy/rbac.yaml and makes what an admin makes; the portal's own calls are made with the rights of that file. The tests
take away the queues and namespaces that they made; the ServiceAccount and its role stay.
"""

import os
from pathlib import Path

import httpx
import pytest
import yaml

from portal.kube.client import Cluster

RBAC = Path(__file__).parents[2] / "deploy" / "rbac.yaml"
PATHS = {
    "Namespace": "/api/v1/namespaces",
    "ServiceAccount": "/api/v1/namespaces/choirmaster/serviceaccounts",
    "ClusterRole": "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "ClusterRoleBinding": "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
}


@pytest.fixture(scope="session")
def admin() -> Cluster:
    url = os.environ.get("TEST_CLUSTER_URL")
    if not url:
        pytest.skip("TEST_CLUSTER_URL is not set: no real control plane is at hand")
    token_file, ca_file = os.environ["TEST_CLUSTER_TOKEN_FILE"], os.environ.get("TEST_CLUSTER_CA_FILE", "")
    return Cluster(url=url, token_file=token_file, ca_file=ca_file)


@pytest.fixture(scope="session")
def cluster(admin: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Cluster:
    """The cluster with the portal's rights."""
    token_file = tmp_path_factory.mktemp("portal") / "token"
    token_file.write_text(_portal_token(admin))
    return Cluster(url=admin.url, token_file=str(token_file), ca_file=admin.ca_file)


def _portal_token(admin: Cluster) -> str:
    headers = {"Authorization": f"Bearer {admin.token()}", "Content-Type": "application/apply-patch+yaml"}
    with httpx.Client(base_url=admin.url, headers=headers, verify=admin.tls, trust_env=False) as client:
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "choirmaster"}}
        for obj in [namespace, *yaml.safe_load_all(RBAC.read_text())]:
            path = f"{PATHS[obj['kind']]}/{obj['metadata']['name']}?fieldManager=admin&force=true"
            client.patch(path, content=yaml.safe_dump(obj)).raise_for_status()
        request = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "spec": {"expirationSeconds": 3600},
        }
        path = f"{PATHS['ServiceAccount']}/choirmaster/token"
        answer = client.post(path, json=request, headers={"Content-Type": "application/json"}).raise_for_status()
    return str(answer.json()["status"]["token"])
