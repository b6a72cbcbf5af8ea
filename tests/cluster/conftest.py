"""A real control plane with Kueue and the training operator, wherever somebody has one at hand.

TEST_CLUSTER_URL, TEST_CLUSTER_TOKEN_FILE and TEST_CLUSTER_CA_FILE name it; the token needs cluster-admin. The tests make a
namespace, a ClusterQueue, a cohort and a ResourceFlavor of their own with random names, and take them away again.
"""

import os

import pytest

from portal.kube.client import Cluster


@pytest.fixture(scope="session")
def cluster() -> Cluster:
    url = os.environ.get("TEST_CLUSTER_URL")
    if not url:
        pytest.skip("TEST_CLUSTER_URL is not set: no real control plane is at hand")
    token_file, ca_file = os.environ["TEST_CLUSTER_TOKEN_FILE"], os.environ.get("TEST_CLUSTER_CA_FILE", "")
    return Cluster(url=url, token_file=token_file, ca_file=ca_file)
