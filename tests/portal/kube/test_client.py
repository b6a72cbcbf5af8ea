"""The client against a real HTTP server."""

import socket
from pathlib import Path

import pytest

from portal.kube.client import Cluster, cluster_from_settings
from portal.kube.errors import (
    AlreadyExists,
    ClusterUnavailable,
    Conflict,
    KindMissing,
    NotFound,
    Rejected,
    Unauthorized,
)
from portal.kube.kinds import CLUSTER_QUEUE, NAMESPACE, PVC, RESOURCE_FLAVOR, SERVICE_ACCOUNT, Kind, Object, Ref
from tests.sandboxes import Sandbox


def account(name: str = "choirmaster-job", **fields: object) -> Object:
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": "cm-team"}, **fields}


def account_ref(name: str = "choirmaster-job") -> Ref:
    return Ref(SERVICE_ACCOUNT, name, "cm-team")


def test_create_then_get(cluster: Cluster) -> None:
    made = cluster.create(account())
    assert cluster.get(account_ref())["metadata"]["uid"] == made["metadata"]["uid"]


def test_a_dry_run_stores_nothing(cluster: Cluster) -> None:
    cluster.create(account(), dry_run=True)
    with pytest.raises(NotFound, match='"choirmaster-job" not found'):
        cluster.get(account_ref())


def test_an_unknown_field_is_refused(cluster: Cluster) -> None:
    with pytest.raises(Rejected, match="unknown field") as raised:
        cluster.create(account(automount=False))
    assert (raised.value.http_code, raised.value.reason) == (400, "BadRequest")


def test_the_same_name_again(cluster: Cluster) -> None:
    cluster.create(account())
    with pytest.raises(AlreadyExists):
        cluster.create(account())


def test_a_kind_that_is_not_installed_is_no_missing_object(cluster: Cluster) -> None:
    with pytest.raises(KindMissing):
        cluster.list(Kind("kubeflow.org", "v9", "pytorchjobs", "PyTorchJob"))


def test_a_list_has_all_pages(cluster: Cluster) -> None:
    for number in range(7):
        cluster.create(account(f"account-{number}"))
    listing = cluster.list(SERVICE_ACCOUNT, "cm-team", limit=3)
    names = {item["metadata"]["name"] for item in listing.items}
    assert {f"account-{number}" for number in range(7)} <= names
    assert listing.resource_version


def test_a_list_by_label(cluster: Cluster) -> None:
    labelled = account("labelled")
    labelled["metadata"]["labels"] = {"team": "a"}
    cluster.create(labelled)
    cluster.create(account("plain"))
    listing = cluster.list(SERVICE_ACCOUNT, label_selector="team=a")
    assert [item["metadata"]["name"] for item in listing.items] == ["labelled"]


def test_apply_removes_what_we_leave_out(cluster: Cluster) -> None:
    cluster.apply(account(automountServiceAccountToken=False))
    assert cluster.get(account_ref())["automountServiceAccountToken"] is False
    cluster.apply(account())
    assert "automountServiceAccountToken" not in cluster.get(account_ref())


def test_apply_meets_another_owner(cluster: Cluster, sandbox: Sandbox) -> None:
    path = "/api/v1/namespaces/cm-team/serviceaccounts"
    sandbox.call("POST", f"{path}?fieldManager=kubectl", account(automountServiceAccountToken=True))
    with pytest.raises(Conflict) as raised:
        cluster.apply(account(automountServiceAccountToken=False))
    assert [cause.field for cause in raised.value.causes] == [".automountServiceAccountToken"]


def test_delete_needs_the_right_uid(cluster: Cluster) -> None:
    uid = cluster.create(account())["metadata"]["uid"]
    with pytest.raises(Conflict):
        cluster.delete(account_ref(), uid="0d9d2b9e-0000-4000-8000-000000000000")
    assert cluster.delete(account_ref(), uid=uid) is True
    assert cluster.delete(account_ref(), uid=uid) is False


def test_a_name_cannot_leave_its_path(cluster: Cluster) -> None:
    with pytest.raises((KindMissing, NotFound, Rejected)):
        cluster.get(Ref(PVC, "../../namespaces/cm-team", "cm-team"))


def test_the_token_file_is_read_again(cluster: Cluster, sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("expired")
    stale = Cluster(url=sandbox.url, token_file=str(tmp_path / "token"))
    with pytest.raises(Unauthorized):
        stale.list(NAMESPACE)
    (tmp_path / "token").write_text(sandbox.token)
    assert stale.list(NAMESPACE).items


def test_a_missing_token_file(sandbox: Sandbox) -> None:
    with pytest.raises(ClusterUnavailable, match="cannot be read"):
        Cluster(url=sandbox.url, token_file="/nonexistent").list(NAMESPACE)


def test_what_this_user_may_not_do(cluster: Cluster, sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "nobody").write_text("nobody")
    with pytest.raises(Rejected) as raised:
        Cluster(url=sandbox.url, token_file=str(tmp_path / "nobody")).list(CLUSTER_QUEUE)
    assert raised.value.reason == "Forbidden"


def test_nobody_listens(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    (tmp_path / "token").write_text("t")
    with pytest.raises(ClusterUnavailable, match="does not answer"):
        Cluster(url=f"http://127.0.0.1:{port}", token_file=str(tmp_path / "token")).ask_ready()


def test_ready(cluster: Cluster) -> None:
    cluster.ask_ready()


def test_one_cluster_for_one_setting() -> None:
    assert cluster_from_settings() is cluster_from_settings()


def test_objects_of_the_whole_cluster(cluster: Cluster) -> None:
    flavor = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor", "metadata": {"name": "a100"}}
    cluster.apply(flavor)
    assert cluster.get(Ref(RESOURCE_FLAVOR, "a100"))["metadata"]["name"] == "a100"
